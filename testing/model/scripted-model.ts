/**
 * A scripted model over the real wire: an HTTP server that speaks OpenAI's chat completions, as Ollama,
 * llama.cpp, vLLM and LM Studio do, and Anthropic's messages. Each request is answered by the next turn of the script.
 *
 *     const model = await startScriptedModel([
 *       callTool("weather__show", { city: "Rome" }, { fragment: 3 }),
 *       (saw) => say("It is ", String(saw.body.messages.at(-1)?.content)),
 *     ]);
 *     // model.url is the base URL; model.requests has what the model saw.
 *     await model.close();
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AnthropicAnswer } from "./anthropic-answer.js";
import type { ModelSaw, Script, Step } from "./steps.js";

export * from "./steps.js";

/** Options of {@link startScriptedModel}. */
export interface ScriptedModelOptions {
  /** Names that `GET /v1/models` lists. */
  models?: readonly string[];
  /** The title that it writes for a conversation; by default an empty one, so that the title stays. */
  title?: Script;
  /** More JSON documents, by path: those of a program for local models. */
  documents?: Readonly<Record<string, unknown>>;
  /** Entries of `GET /v1/models`, in place of those of `models`. */
  list?: readonly unknown[];
  /** The port; a free one by default. */
  port?: number;
  /** Answers requests after the last turn. By default they get an error and are listed in `unscripted`. */
  otherwise?: Script;
}

export interface ScriptedModel {
  /** The base URL, with `/v1`. */
  readonly url: string;
  /** All requests for an answer, in order. */
  readonly requests: readonly ModelSaw[];
  /** The headers of each request for the list of models. */
  readonly lists: readonly IncomingMessage["headers"][];
  /** Requests for a title. They take no turn. */
  readonly titles: readonly ModelSaw[];
  /** Paths of all requests, in order. */
  readonly paths: readonly string[];
  /** Requests without a turn. */
  readonly unscripted: readonly ModelSaw[];
  /** Adds turns. */
  add(...turns: Script[]): void;
  close(): Promise<void>;
}

/** Starts a scripted model on a free loopback port. */
export async function startScriptedModel(
  turns: readonly Script[] = [],
  {
    models = ["scripted"],
    otherwise,
    title = [],
    documents = {},
    list,
    port: wanted = 0,
  }: ScriptedModelOptions = {},
): Promise<ScriptedModel> {
  const waiting = [...turns];
  const requests: ModelSaw[] = [];
  const lists: IncomingMessage["headers"][] = [];
  const unscripted: ModelSaw[] = [];
  const titles: ModelSaw[] = [];
  const paths: string[] = [];

  const listener = createServer(async (request, response) => {
    // A client that disconnects is not an error of the server.
    response.on("error", () => {});
    const { url: path = "" } = request;
    paths.push(path);
    if (Object.hasOwn(documents, path)) return sendJson(response, 200, documents[path]);
    if (request.method === "GET" && request.url === "/v1/models") {
      lists.push(request.headers);
      const data = list ?? models.map((id) => ({ id, object: "model" }));
      return sendJson(response, 200, { object: "list", data });
    }
    if (request.method !== "POST" || !/^\/v1\/(chat\/completions|messages)$/.test(path))
      return sendJson(response, 404, { error: { message: `no ${request.method} ${request.url}` } });
    const saw = await readRequest(request, response);
    if (isTitle(saw)) {
      titles.push(saw);
      return play(title, saw, response);
    }
    requests.push(saw);
    const turn = waiting.shift() ?? otherwise;
    if (turn !== undefined) return play(turn, saw, response);
    unscripted.push(saw);
    const message = `there is no turn for request ${requests.length}; add one to the script`;
    sendJson(response, 500, { error: { message } });
  });
  listener.listen(wanted, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    lists,
    unscripted,
    titles,
    paths,
    add: (...more) => void waiting.push(...more),
    async close() {
      const closed = once(listener, "close");
      listener.close();
      listener.closeAllConnections();
      await closed;
    },
  };
}

/** Whether the request asks for the title of a conversation: by its instructions. */
const isTitle = ({ body: { messages } }: ModelSaw): boolean =>
  `${messages[0]?.role === "system" ? messages[0].content : ""}`.startsWith(
    "Write a title for a conversation",
  );

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function readRequest(request: IncomingMessage, response: ServerResponse): Promise<ModelSaw> {
  const left = new Promise<boolean>((resolve) =>
    response.once("close", () => resolve(!response.writableFinished)),
  );
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return { path: request.url ?? "", headers: request.headers, body: JSON.parse(text), text, left };
}

/** Yields the steps of a script in order; functions are called when it is their turn. */
async function* stepsOf(script: Script, saw: ModelSaw): AsyncGenerator<Step> {
  if (typeof script === "function") yield* stepsOf(await script(saw), saw);
  else if ("do" in script) yield script;
  else for (const each of script) yield* stepsOf(each, saw);
}

async function play(script: Script, saw: ModelSaw, response: ServerResponse): Promise<void> {
  const say = saw.path === "/v1/messages" ? new AnthropicAnswer(saw, response) : new Answer(saw, response);
  for await (const step of stepsOf(script, saw)) {
    if (response.destroyed) return;
    if (step.do === "wait") {
      say.begin();
      // Stops waiting for a client that has disconnected.
      await Promise.race([step.until(), saw.left]);
    } else if (!say.step(step)) return;
    // Each step reaches the other end separately; writes in one turn of the event loop would arrive together.
    await new Promise(setImmediate);
  }
  say.finish();
}

/** Writes one answer. */
class Answer {
  readonly #response: ServerResponse;
  readonly #model: string;
  #didCall = false;
  #didFinish = false;

  constructor(saw: ModelSaw, response: ServerResponse) {
    this.#model = saw.body.model;
    this.#response = response;
  }

  /** Sends only the headers. */
  begin(): void {
    if (this.#response.headersSent) return;
    this.#response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    this.#response.flushHeaders();
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
        this.#delta({ content: step.text });
        return true;
      case "call":
        this.#didCall = true;
        this.#toolCall(
          { index: step.index, id: step.id, type: "function" },
          { name: step.name, arguments: "" },
        );
        return true;
      case "arguments":
        this.#toolCall({ index: step.index }, { arguments: step.text });
        return true;
      case "finish":
        this.#end(step.reason);
        return true;
      case "usage": {
        const total = step.input + step.output;
        const usage = { prompt_tokens: step.input, completion_tokens: step.output, total_tokens: total };
        // As with OpenAI: the usage comes after the reason, in a separate event.
        if (!this.#didFinish) this.#end();
        this.#event({ choices: [], usage });
        return true;
      }
      case "error":
        this.#write(`data: ${JSON.stringify({ error: step.error })}\n\n`);
        this.#response.end();
        return false;
      case "raw":
        this.#write(step.bytes);
        return true;
      case "drop":
        this.#response.destroy();
        return false;
      case "end":
        this.#response.end();
        return false;
    }
  }

  /** Ends the stream properly. */
  finish(): void {
    this.begin();
    if (!this.#didFinish) this.#end();
    this.#response.end("data: [DONE]\n\n");
  }

  #end(reason = this.#didCall ? "tool_calls" : "stop"): void {
    this.#didFinish = true;
    this.#event({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
  }

  #toolCall(call: object, fn: object): void {
    this.#delta({ tool_calls: [{ ...call, function: fn }] });
  }

  #delta(delta: object): void {
    this.#event({ choices: [{ index: 0, delta, finish_reason: null }] });
  }

  #event(more: object): void {
    const event = {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1,
      model: this.#model,
      ...more,
    };
    this.#write(`data: ${JSON.stringify(event)}\n\n`);
  }

  #write(text: string): void {
    this.#response.write(text);
  }
}
