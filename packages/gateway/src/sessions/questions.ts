/**
 * Questions to the person at a page.
 *
 * @module
 */
import type { Answer, Question } from "@vitrine/host";
import type { GatewayQuestion } from "@vitrine/protocol";
import { notificationMessage, requestMessage } from "./rpc.js";

interface Pending {
  text: string;
  answer(answer: Answer): void;
}

/** The questions that one page has not answered yet. They outlive a reload: the new page is asked again. */
export class Questions {
  readonly #send: (text: string) => void;
  readonly #pending = new Map<string, Pending>();
  #last = 0;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  /** Asks, and waits for as long as the question matters. A page that goes for good has said no. */
  ask(question: Question, remember: GatewayQuestion["remember"], signal: AbortSignal): Promise<Answer> {
    const id = `q${++this.#last}`;
    const { view, server, method, subject, title, reason, params, tool, link, files, scope } = question;
    const asked: GatewayQuestion = {
      ...{ id, view, server, method, subject, title, reason, params, tool, files, remember, scope },
      link: link && { url: link.url, host: link.host, display: link.display },
    };
    return new Promise<Answer>((resolve) => {
      const over = (answer: Answer): void => {
        signal.removeEventListener("abort", withdraw);
        this.#pending.delete(id);
        resolve(answer);
      };
      const withdraw = (): void => {
        over({ answer: "deny" });
        this.#send(notificationMessage("gateway/withdrawn", { id }));
      };
      if (signal.aborted) return resolve({ answer: "deny" });
      signal.addEventListener("abort", withdraw, { once: true });
      const text = requestMessage(id, "gateway/ask", asked);
      this.#pending.set(id, { text, answer: over });
      this.#send(text);
    });
  }

  /** Takes the page's answer: the first counts (attack C09), and what is no answer is a no. */
  answered(id: unknown, result: unknown): void {
    const { answer, remember } = Object(result) as Partial<Answer>;
    this.#pending.get(`${id}`)?.answer({
      answer: answer === "allow" ? "allow" : "deny",
      remember: remember === "session" || remember === "always" ? remember : "once",
    });
  }

  /** Asks the page that came in place of another. */
  again(): void {
    for (const { text } of this.#pending.values()) this.#send(text);
  }

  /** Nobody is there any more. */
  close(): void {
    for (const { answer } of [...this.#pending.values()]) answer({ answer: "deny" });
  }
}
