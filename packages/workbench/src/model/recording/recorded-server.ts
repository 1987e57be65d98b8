/**
 * The server and host of a recording: they answer as recorded.
 *
 * @module
 */
import type { Link, Upstream, UpstreamNotification, UpstreamRequestOptions } from "@vitrine/guard";
import { INTERNAL_ERROR, Listeners, recordOf, VitrineError } from "@vitrine/protocol";
import type { RunMessage } from "./recorded-run.js";

import { Answers } from "./replay-answers.js";

/**
 * Methods that go to the upstream or stay in the page. All others were actions of the host, and are not
 * repeated.
 */
const PASSES = /^(tools|resources|prompts)\/|notifications\/|^ui\/update-model-context$/;

/** Answers one app, each time when it is the answer's turn. */
export class RecordedServer implements Upstream {
  readonly server: string;
  readonly capabilities: Upstream["capabilities"];
  readonly #messages: readonly RunMessage[];
  readonly #answers: Answers;
  readonly #listeners = new Listeners<Parameters<Parameters<Upstream["listen"]>[0]>>();
  #waiting: (() => void)[] = [];
  #position = 0;

  /** `capabilities` are those that the host announced to the app. */
  constructor(server: string, messages: readonly RunMessage[], capabilities: Record<string, unknown>) {
    this.server = server;
    this.#messages = messages;
    this.#answers = new Answers(messages);
    const { serverTools, serverResources } = capabilities;
    const asks = (start: string): boolean =>
      messages.some(({ d, method }) => d === "in" && method.startsWith(start));
    this.capabilities = {
      ...((serverTools || asks("tools/")) && { tools: recordOf(serverTools) }),
      ...((serverResources || asks("resources/")) && {
        resources: { ...recordOf(serverResources), subscribe: asks("resources/subscribe") },
      }),
      ...(asks("prompts/") && { prompts: {} }),
    };
  }

  /** Links are not opened again, nor files saved: the app gets the recorded answers. */
  readonly guard: Link = async (call, next) =>
    PASSES.test(call.method) ? next(call) : this.#answer(call.method, call.params, call);

  // Recorded values have their recorded types.
  readonly request = ((method: string, params: object, options: UpstreamRequestOptions = {}) =>
    this.#answer(method, params, options)) as Upstream["request"];

  listen(listener: Parameters<Upstream["listen"]>[0]): () => void {
    return this.#listeners.add(listener);
  }

  /** Sets the number of messages so far. */
  reach(position: number): void {
    this.#position = position;
    for (const go of this.#waiting.splice(0)) go();
  }

  /** Repeats notifications of the server. */
  tell(method: string, params: Readonly<Record<string, unknown>>): void {
    if (!/^notifications\/(\w+\/list_changed|resources\/updated)$/.test(method)) return;
    this.#listeners.notify(method as UpstreamNotification, params);
  }

  async #answer(
    method: string,
    params: object,
    { signal, onprogress }: UpstreamRequestOptions,
  ): Promise<unknown> {
    const question = this.#answers.find(method, params);
    const { name, uri } = params as { name?: unknown; uri?: unknown };
    const what = [method, name ?? uri].filter(Boolean).join(" ");
    if (!question)
      throw new VitrineError(INTERNAL_ERROR, `the recording has no answer to ${what}: it was never asked`);
    const { answer } = question;
    if (!answer) throw new VitrineError(INTERNAL_ERROR, `the recording ends before ${what} was answered`);
    while (this.#position <= answer.n && !signal?.aborted)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        signal?.addEventListener("abort", () => resolve(), { once: true });
      });
    for (const { params: progress } of this.#progressOf(question))
      if (typeof progress["progress"] === "number")
        onprogress?.({ ...progress, progress: progress["progress"] });
    const { result, error } = answer.m;
    if (error === undefined) return result;
    const { code, message, data } = recordOf(error);
    throw new VitrineError(typeof code === "number" ? code : INTERNAL_ERROR, `${message}`, { data });
  }

  #progressOf({ n, answer, params }: RunMessage): RunMessage[] {
    const { progressToken } = recordOf(params["_meta"]);
    if (progressToken === undefined) return [];
    return this.#messages
      .slice(n, answer?.n)
      .filter(({ d, method }) => d === "out" && method === "notifications/progress")
      .filter((message) => message.params["progressToken"] === progressToken);
  }
}
