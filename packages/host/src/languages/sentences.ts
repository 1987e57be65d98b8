/**
 * Builds the reason and the scope of a question in a language.
 *
 * @module
 */
import type { FrameQuestion } from "../frame/prompt.js";

/** Parts of the sentences. The requester comes first, then what it wants. */
export interface Sentences {
  readonly app: string;
  readonly model: string;
  /** `name` is quoted already. */
  readonly agent: (name: string) => string;
  /** Between the requester and the rest. */
  readonly space: string;
  readonly changes: string;
  readonly destroys: string;
  readonly ownToolReads: string;
  readonly ownToolChanges: string;
  readonly ownToolDestroys: string;
  readonly wants: Readonly<Record<string, string>>;
  readonly permission: (name: string) => string;
  /** Explains {@link allTools}, if an app asks and if the model asks. */
  readonly ordinary: Readonly<Record<"app" | "model", string>>;
  readonly allTools: (server: string) => string;
  readonly tool: (name: string) => string;
  readonly ownTool: (name: string) => string;
  readonly links: (host: string) => string;
  readonly permissionHere: (name: string) => string;
  readonly all: Readonly<Record<string, (server: string) => string>>;
}

/** The reason of a question. */
export const reasonIn =
  (words: Sentences) =>
  (question: FrameQuestion): string => {
    const { asker, agent, reason } = question;
    // A host's own words.
    if (!/^The (app|model|agent) /.test(reason)) return reason;
    const who =
      asker === "agent" ? words.agent(JSON.stringify(agent)) : asker === "model" ? words.model : words.app;
    const wants = wish(words, question);
    return wants === undefined ? reason : `${who}${words.space}${wants}`;
  };

function wish(words: Sentences, { method, covers, subject, tool }: FrameQuestion): string | undefined {
  const { destructiveHint, readOnlyHint } = tool?.annotations ?? {};
  if (covers === "own-tool") {
    if (destructiveHint === true) return words.ownToolDestroys;
    return readOnlyHint === true ? words.ownToolReads : words.ownToolChanges;
  }
  if (method === "tools/call") return destructiveHint === true ? words.destroys : words.changes;
  if (method === "ui/permission") return words.permission(subject);
  return words.wants[method];
}

/** The explanation of a scope. */
export const scopeNoteIn =
  (words: Sentences) =>
  ({ asker, covers, scopeNote = "" }: FrameQuestion): string =>
    covers === "tools" ? words.ordinary[asker === "model" ? "model" : "app"] : scopeNote;

/** The scope of a remembered answer. */
export const scopeIn =
  (words: Sentences) =>
  ({ method, covers, subject, server, scope }: FrameQuestion): string => {
    if (covers === "tools") return words.allTools(server);
    if (covers === "own-tool") return words.ownTool(subject);
    // Never less than the answer covers: a wider scope stays in its own words.
    const isWider = scope !== undefined && scope !== subject && scope !== `the tool ${subject}`;
    if (method === "tools/call") return isWider ? scope : words.tool(subject);
    if (method === "ui/open-link") return words.links(subject);
    if (method === "ui/permission") return words.permissionHere(subject);
    return words.all[method]?.(server) ?? scope ?? server;
  };
