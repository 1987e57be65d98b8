/** Writes the steps of a scripted model as Anthropic's `POST /v1/messages` streams them. */
import type { ServerResponse } from "node:http";
import type { ModelSaw, Step } from "./steps.js";

export class AnthropicAnswer {
  readonly #response: ServerResponse;
  readonly #model: string;
  /** Blocks that were begun. Only the last is open. */
  #blocks = 0;
  #isText = false;
  #didCall = false;
  #reason: string | undefined;

  constructor(saw: ModelSaw, response: ServerResponse) {
    this.#model = saw.body.model;
    this.#response = response;
  }

  begin(): void {
    if (this.#response.headersSent) return;
    this.#response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    const message = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: this.#model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    this.#event({ type: "message_start", message });
  }

  /** Whether there may be another step. */
  step(step: Exclude<Step, { do: "wait" }>): boolean {
    if (step.do === "answer") {
      this.#response.writeHead(step.status, step.headers).end(step.body);
      return false;
    }
    this.begin();
    switch (step.do) {
      case "text":
        if (!this.#isText) this.#open({ type: "text", text: "" });
        this.#delta({ type: "text_delta", text: step.text });
        return true;
      case "call":
        this.#didCall = true;
        this.#open({ type: "tool_use", id: step.id, name: step.name, input: {} });
        return true;
      case "arguments":
        this.#delta({ type: "input_json_delta", partial_json: step.text });
        return true;
      case "finish":
        this.#reason = step.reason;
        return true;
      case "error":
        this.#event({ type: "error", error: step.error });
        this.#response.end();
        return false;
      case "raw":
        this.#response.write(step.bytes);
        return true;
      case "drop":
        this.#response.destroy();
        return false;
      case "end":
        this.#response.end();
        return false;
      case "usage":
        return true; // Every end of a message has it.
    }
  }

  finish(): void {
    this.begin();
    this.#close();
    const stop_reason = this.#reason ?? (this.#didCall ? "tool_use" : "end_turn");
    const delta = { stop_reason, stop_sequence: null };
    this.#event({ type: "message_delta", delta, usage: { output_tokens: 1 } });
    this.#event({ type: "message_stop" });
    this.#response.end();
  }

  /** Blocks come one after another. */
  #open(block: { readonly type: string; readonly [more: string]: unknown }): void {
    this.#close();
    this.#isText = block.type === "text";
    this.#event({ type: "content_block_start", index: this.#blocks++, content_block: block });
  }

  #close(): void {
    if (this.#blocks > 0) this.#event({ type: "content_block_stop", index: this.#blocks - 1 });
  }

  #delta(delta: object): void {
    this.#event({ type: "content_block_delta", index: this.#blocks - 1, delta });
  }

  #event(event: { readonly type: string; readonly [more: string]: unknown }): void {
    this.#response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
}
