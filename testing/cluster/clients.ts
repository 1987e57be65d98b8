/** Clients of a gateway, with a history of all their calls: programs, pages, and conversations with a model. */
import { createHash, randomBytes } from "node:crypto";
import { connectGateway, type GatewayClient } from "@vitrine/host/gateway";
import { JsonText, recordOf } from "@vitrine/protocol";
import type { ConversationState } from "@vitrine/wire";
import { WebSocket } from "ws";
import { tabStorage } from "../gateway/fault-stage.ts";
import { callTool, type ModelSaw, type Script, say } from "../model/scripted-model.ts";
import { pause } from "../pause.ts";
import type { ClientCall, SeenConversation, SeenItem } from "./facts.ts";

/** Errors after which the call was not made, and may be sent again under its key. */
const AGAIN = /^(stopping|overloaded|node-unreachable|audit-failed|rate-limited|server-failed|unanswered)$/;

/** Milliseconds after which a program gives up an answer, and asks again. */
const IMPATIENT = 30_000;

/** The error of a conversation that was never stored. */
const UNKNOWN = "conversation-unknown";

/** Milliseconds before a program calls again: hundreds that all try at once would keep a gateway from its work. */
const RETRY = { first: 100, most: 2000 };

/** Calls of a conversation before another one begins. */
const TALK = 10;

/** All clients of a stage. */
export class Clients {
  readonly history: ClientCall[] = [];
  readonly users: readonly string[];
  readonly #tokens: ReadonlyMap<string, string>;
  readonly #pages: { readonly user: string; readonly page: GatewayClient }[] = [];
  /** The conversations of each user. */
  readonly #conversations = new Map<string, string[]>();
  /** The conversation that each user is in, and its calls. */
  readonly #talks = new Map<string, { readonly id: string; calls: number }>();
  readonly #mark = randomBytes(4).toString("hex");
  #origin = "";
  #count = 0;
  #isOver = false;

  constructor(users: readonly string[]) {
    this.users = users;
    this.#tokens = new Map(users.map((user) => [user, randomBytes(24).toString("base64url")]));
  }

  /** The users for a gateway's settings. */
  get settings(): { name: string; tokenHash: string }[] {
    return [...this.#tokens].map(([name, token]) => ({ name, tokenHash: hashOf(token) }));
  }

  /** The gateway, or the balancer before several. */
  set origin(origin: string) {
    this.#origin = origin;
  }

  get origin(): string {
    return this.#origin;
  }

  headers(user = this.users[0] ?? ""): Record<string, string> {
    return { authorization: `Bearer ${this.#tokens.get(user)}`, origin: this.#origin };
  }

  /** Opens a page of a user, over a WebSocket. */
  page(user: string): GatewayClient {
    const url = this.#origin.replace("http", "ws");
    const headers = this.headers(user);
    class Socket extends WebSocket {
      constructor() {
        super(`${url}/api/session`, { headers, perMessageDeflate: false });
      }
    }
    const page = connectGateway({
      url: `${this.#origin}/api/session`,
      // A page falls back to HTTP when its sockets fail. A browser sends its cookie and origin by itself.
      fetch: (address, init) =>
        fetch(address, { ...init, headers: { ...Object(init?.headers), ...headers } }),
      WebSocket: Socket as unknown as typeof globalThis.WebSocket,
      storage: tabStorage(),
      heartbeat: 1000,
    });
    this.#pages.push({ user, page });
    return page;
  }

  /** A program calls a tool. It sends the call again under its key, as docs/gateway/http.md says, until it has an outcome. */
  async callByProgram(user: string): Promise<ClientCall> {
    const call = this.#begin(user, "program");
    for (let wait = RETRY.first; !this.#isOver; wait = Math.min(2 * wait, RETRY.most)) {
      const { code, mayHaveRun, why } = await this.#post(user, call.key);
      if (AGAIN.test(code)) {
        await pause(wait * (0.5 + Math.random()));
        continue;
      }
      end(call, { code, mayHaveRun, why });
      break;
    }
    return call;
  }

  async #post(user: string, key: string): Promise<CallEnd> {
    try {
      const response = await fetch(`${this.#origin}/api/servers/faulty/tools/call`, {
        method: "POST",
        headers: { ...this.headers(user), "content-type": "application/json", "idempotency-key": key },
        body: JSON.stringify({ name: "echo", arguments: argumentsOf(key) }),
        signal: AbortSignal.timeout(IMPATIENT),
      });
      const body = recordOf(await response.json());
      const error = recordOf(body["error"]);
      if (body["error"] === undefined) {
        if (!response.ok) return { code: "unanswered", mayHaveRun: true };
        return { code: JSON.stringify(body).includes(key) ? "ok" : "wrong answer", mayHaveRun: true };
      }
      const mayHaveRun = recordOf(error["data"])["indeterminate"] === true;
      return { code: String(error["code"]), mayHaveRun, why: String(error["message"]) };
    } catch {
      // The connection was cut, or the balancer answered with a page of its own.
      return { code: "unanswered", mayHaveRun: true };
    }
  }

  /** A page calls a tool. The page's client sends it again by itself. */
  callByPage(page: GatewayClient, user: string): Promise<ClientCall> {
    const call = this.#begin(user, "page");
    const request = { server: "faulty", name: "echo", arguments: argumentsOf(call.key) };
    return settled(call, async () => {
      const result = await page.request("gateway/call", request);
      const text = result instanceof JsonText ? result.text : JSON.stringify(result);
      if (!text.includes(call.key)) throw { code: "wrong answer" };
    });
  }

  /** In a conversation, a person calls a tool, and then asks a model to call one. */
  async talk(page: GatewayClient, user: string): Promise<void> {
    const conversation = await this.#conversation(page, user);
    if (conversation === undefined) return;
    const called = this.#begin(user, "person");
    await settled(called, async () => {
      const request = {
        id: conversation,
        server: "faulty",
        tool: "echo",
        arguments: argumentsOf(called.key),
      };
      const { item } = await page.request("conversation/call", request);
      called.entry = { conversation, item };
    });
    const sent = this.#begin(user, "model");
    await settled(sent, async () => {
      const content = [{ type: "text" as const, text: `Please call ${sent.key}` }];
      const { item } = await page.request("conversation/send", { id: conversation, content });
      sent.entry = { conversation, item };
    });
    // It had no entry yet when the gateway was lost: the user begins another one.
    if (sent.end === UNKNOWN) this.#talks.delete(user);
  }

  /** The conversation of a user, or after some calls a new one; undefined if there is none now. */
  async #conversation(page: GatewayClient, user: string): Promise<string | undefined> {
    const talk = this.#talks.get(user);
    if (talk && talk.calls++ < TALK) return talk.id;
    try {
      const { id } = await page.request("conversation/open", {});
      this.#talks.set(user, { id, calls: 1 });
      this.#conversations.set(user, [...(this.#conversations.get(user) ?? []), id]);
      return id;
    } catch {
      // The user tries again.
      return undefined;
    }
  }

  /** All conversations, as pages show them. */
  async conversations(): Promise<SeenConversation[]> {
    const seen: SeenConversation[] = [];
    for (const [user, ids] of this.#conversations) {
      const { page } = this.#pages.find((each) => each.user === user) ?? {};
      for (const id of ids) {
        const state = await opened(page, id);
        // A conversation that is gone is a violation if any of its entries was acknowledged.
        if (state) seen.push({ id, isRunning: state.isRunning, items: state.items.map(seenItem) });
      }
    }
    return seen;
  }

  /** The answer of the gateway about its chains. */
  async verify(): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.#origin}/api/audit/verify`, { headers: this.headers() });
    return recordOf(await response.json());
  }

  #begin(user: string, by: ClientCall["by"]): ClientCall {
    const call: ClientCall = { key: `${this.#mark}-${++this.#count}`, user, by, beganAt: Date.now() };
    this.history.push(call);
    return call;
  }

  /** Ends retries of programs, and closes pages. */
  close(): void {
    this.#isOver = true;
    for (const { page } of this.#pages) page.close();
  }
}

/** A model that calls the tool for the key of the last message, and then says that it has. */
export const dutifulModel = ({ body }: ModelSaw): Script => {
  const last = body.messages.at(-1);
  const [, key] = /Please call (\S+?)["\s]*$/.exec(textOf(last?.content)) ?? [];
  return last?.role === "user" && key !== undefined
    ? callTool("faulty__echo", argumentsOf(key), { id: `call-${key}` })
    : say("Done.");
};

/** A conversation; undefined if there is none. The gateway does not store one without entries. */
async function opened(page: GatewayClient | undefined, id: string): Promise<ConversationState | undefined> {
  try {
    const state = await page?.request("conversation/open", { id });
    await page?.request("conversation/leave", { id });
    return state;
  } catch (error) {
    if (codeOf(error) === UNKNOWN) return undefined;
    throw error;
  }
}

/** The code of an error that a page got. */
const codeOf = (error: unknown): string => {
  const { code, data } = recordOf(error);
  return String(recordOf(data)["code"] ?? code);
};

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : Array.isArray(content)
      ? content.map((each) => String(recordOf(each)["text"] ?? "")).join("")
      : "";

const argumentsOf = (key: string) => ({ key, text: key });

const seenItem = (item: ConversationState["items"][number]): SeenItem => {
  const { id, kind } = item;
  if (kind === "model") return { id, kind, state: item.state };
  if (kind !== "call") return { id, kind };
  // Arguments that are named like secrets are not stored in conversations; the text is the same.
  const key = item.input?.["text"];
  const { state, isIndeterminate } = item;
  return { id, kind, state, isIndeterminate, key: typeof key === "string" ? key : undefined };
};

/** How a call ended for its client. */
interface CallEnd {
  readonly code: string;
  readonly mayHaveRun: boolean;
  readonly why?: string | undefined;
}

function end(call: ClientCall, { code, mayHaveRun, why }: CallEnd): void {
  call.end = code;
  call.mayHaveRun = mayHaveRun;
  call.why = why;
  call.endedAt = Date.now();
}

/** Notes how a request of a page ended. */
async function settled(call: ClientCall, request: () => Promise<void>): Promise<ClientCall> {
  try {
    await request();
    end(call, { code: "ok", mayHaveRun: true });
  } catch (error) {
    const code = codeOf(error);
    const { data } = recordOf(error);
    const mayHaveRun = recordOf(data)["indeterminate"] === true || code === "indeterminate";
    end(call, { code, mayHaveRun, why: String(recordOf(error)["message"] ?? error) });
  }
  return call;
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");
