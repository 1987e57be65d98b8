/**
 * The tools of users' servers for their conversations. Every call passes the guard.
 *
 * @module
 */

import type { OfferedTool, ToolPort } from "@vitrine/conversation";
import { type CallToolResult, type Params, readToolUi, type Tool } from "@vitrine/protocol";
import { replacedServer, showableResult } from "@vitrine/servers";
import { messageOf } from "@vitrine/servers/support";
import type { GuardedServers } from "../guard/guarded-servers.js";
import { traceparentOf } from "../guard/trace.js";
import { tracedError } from "./rpc.js";

/** Milliseconds that a server may delay a turn for its list of tools. */
const LIST_LIMIT = 5000;

/**
 * The tools of servers behind their guards.
 *
 * @example
 * ```ts source="./server-tools.examples.ts#serverTools"
 * const conversations = new Conversations({ ...parts, tools: serverTools(servers) });
 * ```
 */
export function serverTools(servers: GuardedServers): ToolPort {
  const offered = async (user: string, server: string): Promise<OfferedTool[]> => {
    const { identity } = servers.get(user, server).server.settings;
    const { tools, views } = await servers.catalogue(user, server, "model");
    const shown = new Set(views.map(({ tool }) => tool));
    // A catalogue reads only the documents of its first tools; a link to a UI also means that there is one.
    const hasApp = (tool: Tool): boolean =>
      shown.has(tool.name) || readToolUi(tool).resourceUri !== undefined;
    return tools.map((tool) => ({ server, identity, tool, hasApp: hasApp(tool) }));
  };
  return {
    list: async (user, missing = new Map()) => {
      const list = async (name: string): Promise<OfferedTool[]> => {
        try {
          // A server delays a conversation only once; as soon as it is available, it answers at once.
          const tools = await inTime(offered(user, name), missing.has(name) ? 0 : LIST_LIMIT);
          missing.delete(name);
          return tools;
        } catch (error) {
          // An unavailable server has no tools.
          if (!missing.has(name)) missing.set(name, messageOf(error));
          return [];
        }
      };
      return (await Promise.all(servers.summaries(user).map(({ name }) => list(name)))).flat();
    },
    identityOf: (server) => servers.identityOf(server),
    find: async (user, server, name) => (await offered(user, server)).find(({ tool }) => tool.name === name),
    call: async (user, asked, options) => {
      const { server: name, identity, tool, arguments: input, key, isCallersKey, by, conversation } = asked;
      const current = servers.identityOf(name);
      if (current !== undefined && identity !== current) throw replacedServer(name);
      const { signal } = options;
      let learn = (_result: CallToolResult): void => {};
      const trace = traceparentOf(undefined);
      const call = {
        user,
        view: conversation,
        server: name,
        method: "tools/call" as const,
        key,
        signal,
        isOwnKey: !isCallersKey,
        params: { name: tool, arguments: input },
        actor: by === "model" ? ("model" as const) : ("host" as const),
        trace,
      };
      const answer = await servers
        .pass(call, ({ server, guard }, { params }) => {
          learn = (result) => guard.learn(result);
          return server.upstream.request("tools/call", params as Params<"tools/call">, options);
        })
        .catch((error: unknown) => {
          throw tracedError(error, trace);
        });
      const result = showableResult(answer);
      learn(result);
      return result;
    },
    recall: async (user, key, at) => {
      try {
        const known = await servers.recall(user, key);
        if (!known) return { outcome: (await servers.isForgotten(at)) ? "indeterminate" : "cancelled" };
        return { outcome: known.outcome, result: known.result && showableResult(known.result) };
      } catch {
        // The log cannot be read.
        return { outcome: "indeterminate" };
      }
    },
  };
}

/** Rejects after the timeout. */
async function inTime<T>(work: Promise<T>, limit: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limit / 1000} seconds`)), limit);
  });
  // The work may fail later, when nothing awaits it.
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
