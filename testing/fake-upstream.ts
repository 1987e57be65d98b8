/** A server in memory that records its requests. */
import { METHOD_NOT_FOUND, VitrineError } from "@vitrine/protocol";
import type { Upstream, UpstreamNotification } from "../packages/guard/src/upstream/upstream.js";

type Answer = (params: Record<string, unknown>) => unknown;

export interface FakeUpstream extends Upstream {
  /** Requested methods, in order. */
  readonly asked: string[];
  /** Answers by method; change them at any time. */
  readonly answers: Record<string, Answer>;
  /** Number of listeners. */
  readonly listeners: number;
  say(method: UpstreamNotification, params?: Record<string, unknown>): void;
}

export const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: "object" }, ...more });
export const visibleTo = (...visibility: string[]) => ({ _meta: { ui: { visibility } } });

export function fakeUpstream(answers: Record<string, Answer> = {}, server = "shop"): FakeUpstream {
  const asked: string[] = [];
  const listeners = new Set<(method: UpstreamNotification, params: Record<string, unknown>) => void>();
  return {
    server,
    capabilities: { tools: {}, resources: {}, prompts: {} },
    asked,
    answers,
    get listeners() {
      return listeners.size;
    },
    async request(method, params) {
      asked.push(method);
      const answer = answers[method];
      if (!answer) throw new VitrineError(METHOD_NOT_FOUND, "no such method");
      // Any value that a test wants a server to send, including invalid ones.
      return (await answer(params)) as never;
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    say(method, params = {}) {
      for (const listener of listeners) listener(method, params);
    },
  };
}
