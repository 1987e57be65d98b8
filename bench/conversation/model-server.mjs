/**
 * A scripted model over OpenAI's chat completions, which records when each part left. (The tests have a
 * larger one in testing/model, which Node 20 cannot import.) It also receives the apps' reports, and serves
 * a page that does nothing but read the stream.
 *
 * @module
 */
import { createServer } from "node:http";

/** Milliseconds by the clock that pages use too: everything runs on one machine. */
export const now = () => Date.now();
export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Starts a model server. Each request is answered by the next turn in the queue: a function that receives the
 * steps to use.
 */
export async function startModel() {
  const turns = [];
  const reports = [];
  const waiting = new Set();
  const report = (said) => {
    reports.push(said);
    for (const look of waiting) look();
  };
  const listener = createServer(async (request, response) => {
    response.on("error", () => {});
    if (request.url === "/bare") return sendPage(response);
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    if (request.url === "/report") {
      report(JSON.parse(body));
      response.end();
    } else if (request.url === "/v1/chat/completions") await play(turns.shift(), response);
    else response.writeHead(404).end();
  });
  await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${listener.address().port}`;
  return {
    origin,
    url: `${origin}/v1`,
    reports,
    add: (...more) => void turns.push(...more),
    /** Resolves with the first matching report, now or later. */
    reported: (isMeant, what) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`nobody reported ${what}`));
        }, 30_000);
        const look = () => {
          const found = reports.find(isMeant);
          if (!found) return;
          clearTimeout(late);
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    close() {
      listener.close();
      listener.closeAllConnections();
    },
  };
}

function sendPage(response) {
  response.writeHead(200, { "content-type": "text/html" }).end(BARE_PAGE);
}

async function play(turn, response) {
  if (!turn) {
    const message = "the measurement has no turn for this request";
    return response.writeHead(500).end(JSON.stringify({ error: { message } }));
  }
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  let reason = "stop";
  const event = (choice) => {
    const choices = [{ index: 0, finish_reason: null, ...choice }];
    const chunk = { id: "1", object: "chat.completion.chunk", created: 1, model: "bench", choices };
    return `data: ${JSON.stringify(chunk)}\n\n`;
  };
  const call = (of) => event({ delta: { tool_calls: [{ index: 0, ...of }] } });
  await turn({
    text: (text) => void response.write(event({ delta: { content: text } })),
    /** A call, with the beginning of its arguments if they should leave with its name. */
    call(name, begun) {
      reason = "tool_calls";
      const named = call({ id: "call-1", type: "function", function: { name, arguments: "" } });
      response.write(begun === undefined ? named : named + call({ function: { arguments: begun } }));
    },
    arguments: (text) => void response.write(call({ function: { arguments: text } })),
  });
  response.end(`${event({ delta: {}, finish_reason: reason })}data: [DONE]\n\n`);
}

/** Turns of text only, and turns of one call with all of its arguments. */
export const saying =
  (...tokens) =>
  async (say) => {
    for (const token of tokens) {
      say.text(token);
      // Written separately: writes in one turn of the event loop would leave together.
      await new Promise(setImmediate);
    }
  };
export const calling = (name, input) => async (say) => say.call(name, JSON.stringify(input));

/** Reads the stream and inserts its words where the workbench does; nothing else. */
const BARE_PAGE = `<!doctype html><meta charset="utf-8"><title>bare</title>
<div class="conversation-inner"><article class="model" aria-busy="true"><div class="markdown"><p></p></div></article></div>
<script>
  async function read() {
    const text = document.querySelector("p").appendChild(new Text());
    const { body } = await fetch("/v1/chat/completions", { method: "POST", body: "{}" });
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const events = (rest + value).split("\\n\\n");
      rest = events.pop();
      for (const event of events) {
        if (event === "data: [DONE]") continue;
        text.appendData(JSON.parse(event.slice(6)).choices[0].delta.content ?? "");
      }
    }
    document.querySelector("article").ariaBusy = "false";
  }
</script>`;
