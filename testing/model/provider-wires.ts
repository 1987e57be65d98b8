/**
 * The documented streams of providers, for one answer that says "Hello there" and calls `show` with
 * `{"city":"Rome"}`. An HTTP server sends them, whatever the request.
 */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

const events = (...all: readonly object[]): string[] =>
  all.map(
    (event) => `event: ${"type" in event ? event.type : "message"}\ndata: ${JSON.stringify(event)}\n\n`,
  );

const block = (index: number, more: object): object => ({ type: "content_block_delta", index, delta: more });

/** `POST /v1/messages`. */
export const ANTHROPIC: readonly string[] = events(
  {
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 11, output_tokens: 1 },
    },
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  block(0, { type: "text_delta", text: "Hello" }),
  block(0, { type: "text_delta", text: " there" }),
  { type: "content_block_stop", index: 0 },
  {
    type: "content_block_start",
    index: 1,
    content_block: { type: "tool_use", id: "toolu_1", name: "show", input: {} },
  },
  block(1, { type: "input_json_delta", partial_json: '{"city"' }),
  block(1, { type: "input_json_delta", partial_json: ':"Rome"}' }),
  { type: "content_block_stop", index: 1 },
  {
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null },
    usage: { output_tokens: 7 },
  },
  { type: "message_stop" },
);

const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "show" };

/** `POST /v1/responses`. */
export const OPENAI: readonly string[] = events(
  { type: "response.created", response: { id: "resp_1", created_at: 1, model: "gpt" } },
  { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "msg_1" } },
  { type: "response.output_text.delta", item_id: "msg_1", delta: "Hello" },
  { type: "response.output_text.delta", item_id: "msg_1", delta: " there" },
  { type: "response.output_item.done", output_index: 0, item: { type: "message", id: "msg_1" } },
  { type: "response.output_item.added", output_index: 1, item: { ...call, arguments: "" } },
  { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 1, delta: '{"city"' },
  { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 1, delta: ':"Rome"}' },
  {
    type: "response.output_item.done",
    output_index: 1,
    item: { ...call, arguments: '{"city":"Rome"}', status: "completed" },
  },
  {
    type: "response.completed",
    response: { usage: { input_tokens: 11, output_tokens: 7 } },
  },
);

const candidate = (parts: readonly object[], more: object = {}): object => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
});

/** `POST /v1beta/models/…:streamGenerateContent?alt=sse`. Calls come in one piece, with a signature. */
export const GOOGLE: readonly string[] = events(
  candidate([{ text: "Hello" }]),
  candidate([{ text: " there" }]),
  candidate([{ functionCall: { name: "show", args: { city: "Rome" } }, thoughtSignature: "signed" }]),
  {
    ...candidate([], { finishReason: "STOP" }),
    usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
  },
);

export interface ProviderServer {
  readonly url: string;
  readonly requests: { path: string; headers: IncomingHttpHeaders; body: Record<string, unknown> }[];
  /** The answer from now on. */
  answer: { status?: number; headers?: Record<string, string>; stream: readonly string[] };
  close(): Promise<void>;
}

/** Starts a server. */
export async function startProvider(answer: ProviderServer["answer"]): Promise<ProviderServer> {
  const listener = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    server.requests.push({
      path: request.url ?? "",
      headers: request.headers,
      body: text ? JSON.parse(text) : {},
    });
    const { status = 200, headers = { "content-type": "text/event-stream" }, stream } = server.answer;
    response.writeHead(status, headers);
    for (const part of stream) {
      response.write(part);
      await new Promise(setImmediate);
    }
    response.end();
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const server: ProviderServer = {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    requests: [],
    answer,
    async close() {
      const closed = once(listener, "close");
      listener.close();
      listener.closeAllConnections();
      await closed;
    },
  };
  return server;
}
