/**
 * Questions to a page and its user.
 *
 * @module
 */
import type { ConsentAnswer, Question } from "@vitrine/guard";
import { INTERNAL_ERROR, isRecord, recordOf, VitrineError } from "@vitrine/protocol";
import type { GatewayAsks, GatewayQuestion } from "@vitrine/wire";
import { isAskLevel } from "../guard/ask-level.js";
import { MAX_MESSAGE } from "./message-size.js";
import { notificationMessage, requestMessage } from "./rpc.js";
import { SmallMap } from "./small-map.js";

interface Pending {
  readonly method: keyof GatewayAsks;
  readonly text: string;
  answered(result: unknown): void;
  failed(error: VitrineError): void;
}

/** The unanswered questions of a page. They survive a reload: the new page is asked again. */
export class PageQuestions {
  readonly #send: (text: string) => void;
  readonly #pending = new SmallMap<string, Pending>();
  #last = 0;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  /** Number of unanswered questions. */
  get size(): number {
    return this.#pending.size;
  }

  /**
   * Asks the user, and waits until the signal aborts. A closed page or an invalid answer counts as declined.
   */
  async ask(
    question: Question,
    remember: GatewayQuestion["remember"],
    signal: AbortSignal,
  ): Promise<ConsentAnswer> {
    const { view, server, method, subject, title, reason, params, tool, link, files } = question;
    const { scope, scopeNote, covers, asker, agent, level } = question;
    const asked = (id: string): GatewayQuestion => ({
      id,
      view,
      server,
      method,
      subject,
      title,
      reason,
      params,
      tool,
      files,
      remember,
      scope,
      scopeNote,
      covers,
      asker,
      agent,
      level,
      link: link && { url: link.url, host: link.host, display: link.display },
    });
    let given: unknown;
    try {
      given = await this.request("gateway/ask", asked, signal);
    } catch {
      return { answer: "deny" };
    }
    const { answer, remember: kept, level: chosen } = recordOf(given);
    return {
      answer: answer === "allow" ? "allow" : "deny",
      remember: kept === "session" || kept === "always" ? kept : "once",
      ...(isAskLevel(chosen) && { level: chosen }),
    };
  }

  /**
   * Sends a request to the page. The answer is not validated.
   *
   * @throws {VitrineError} `send-failed` if it is too large for a message to a page, `aborted` if it is no longer
   * needed, `closed` if the page has ended, or the page's error
   */
  request<M extends keyof GatewayAsks>(
    method: M,
    params: (id: string) => GatewayAsks[M]["params"],
    signal: AbortSignal,
  ): Promise<unknown> {
    const id = `q${++this.#last}`;
    return new Promise((resolve, reject) => {
      const over = (end: () => void): void => {
        signal.removeEventListener("abort", withdraw);
        this.#pending.delete(id);
        end();
      };
      const taken = (): VitrineError => new VitrineError("aborted", "the question was withdrawn");
      const withdraw = (): void => {
        over(() => reject(taken()));
        this.#send(notificationMessage("gateway/withdrawn", { id }));
      };
      if (signal.aborted) return reject(taken());
      const text = requestMessage(id, method, params(id));
      if (text.length > MAX_MESSAGE)
        return reject(new VitrineError("send-failed", "the question is too large for the page"));
      signal.addEventListener("abort", withdraw, { once: true });
      this.#pending.set(id, {
        method,
        text,
        answered: (result) => over(() => resolve(result)),
        failed: (error) => over(() => reject(error)),
      });
      this.#send(text);
    });
  }

  /** Handles the page's answer: only the first counts. */
  answered(id: unknown, result: unknown, error?: unknown): void {
    const pending = this.#pending.get(`${id}`);
    if (error === undefined) pending?.answered(result);
    else pending?.failed(readError(error));
  }

  /**
   * Sends the open questions to a new page, for example after a reload. A pending call of an app's tool is not sent again,
   * because the app may have run it in the previous page: it fails with `closed`.
   */
  again(): void {
    for (const { method, text, failed } of [...this.#pending.values()]) {
      if (method === "conversation/app-tool")
        failed(new VitrineError("closed", "the page was reloaded during the call"));
      else this.#send(text);
    }
  }

  /** Rejects all questions when the page has ended. */
  close(): void {
    for (const { failed } of [...this.#pending.values()])
      failed(new VitrineError("closed", "the page has closed"));
  }
}

/** The page's error. `data.code` is the error code in the page, such as `timeout`, if it is a known form. */
function readError(error: unknown): VitrineError {
  const { message, data } = isRecord(error) ? error : {};
  const said = typeof message === "string" ? message.slice(0, 1000) : "the page could not answer";
  const code = isRecord(data) ? data["code"] : undefined;
  const isWord = typeof code === "string" && /^[a-z-]{1,50}$/.test(code);
  return new VitrineError(INTERNAL_ERROR, said, isWord ? { data: { code } } : {});
}
