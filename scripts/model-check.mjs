/**
 * Sends a real model the requests that a conversation needs, and prints its answers. Run by hand, after `npm
 * run build`:
 *
 *     MODEL_TYPE=compatible MODEL_URL=http://127.0.0.1:11434/v1 MODEL_NAME=qwen3 node scripts/model-check.mjs
 *     MODEL_TYPE=openai MODEL_NAME=gpt-5.4-mini MODEL_KEY="$OPENAI_API_KEY" node scripts/model-check.mjs
 *
 * `MODEL_TYPE` is openai, anthropic, google or compatible; `MODEL_KEY` is optional for compatible. The exit
 * code is 1 if a check fails.
 */
import { KNOWN_PROVIDERS } from "../packages/gateway/dist/config/model-settings.js";
import { aiModel } from "../packages/gateway/dist/model/ai-model.js";
import { ModelError } from "../packages/gateway/dist/model/model-error.js";

const { MODEL_TYPE: type = "compatible", MODEL_NAME: name, MODEL_KEY: key } = process.env;
const url = process.env.MODEL_URL ?? KNOWN_PROVIDERS[type]?.url;
if (!name || !url || (type !== "compatible" && !KNOWN_PROVIDERS[type])) {
  console.error(
    "model-check: set MODEL_TYPE, MODEL_NAME, MODEL_URL (for compatible) and MODEL_KEY; see docs/model.md",
  );
  process.exit(2);
}

const provider = { name: type, type, url, ...(key && { key }) };
const model = aiModel(provider, name);
const weather = {
  name: "weather",
  description: "The weather of one city.",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const user = (text) => ({ role: "user", content: [{ type: "text", text }] });
const timeLimit = () => AbortSignal.timeout(300_000);
let failed = 0;

/** Sends a request; prints the answer, and when its first part came. */
async function ask(request, { signal = timeLimit(), on = model, each = () => {} } = {}) {
  const begun = performance.now();
  const came = { text: "", calls: new Map(), pieces: 0, first: undefined, usage: undefined, end: undefined };
  for await (const delta of on.stream({ tools: [], ...request }, signal)) {
    came.first ??= Math.round(performance.now() - begun);
    if (delta.kind === "text") came.text += delta.text;
    if (delta.kind === "call") came.calls.set(delta.id, { name: delta.name, text: "", isWritten: false });
    if (delta.kind === "arguments") came.calls.get(delta.id).text += delta.text;
    if (delta.kind === "called") came.calls.get(delta.id).isWritten = true;
    if (delta.kind === "usage") came.usage = delta.usage;
    if (delta.kind === "end") came.end = delta.reason;
    if (delta.kind === "text" || delta.kind === "arguments") came.pieces += 1;
    each(delta);
  }
  const { text, calls, pieces, first, usage, end } = came;
  const shown = [...calls.values()].map((call) => `${call.name}(${call.text})`).join(" ");
  const cost = usage ? `${usage.input} + ${usage.output} tokens` : "cost unknown";
  console.log(`    ${JSON.stringify(text.slice(0, 200))} ${shown}`);
  console.log(`    ended with ${end}; ${pieces} pieces, the first after ${first} ms; ${cost}`);
  return came;
}

function must(condition, sentence) {
  if (condition) return;
  failed += 1;
  console.log(`    NOT AS IT MUST BE: ${sentence}`);
}

async function scenario(title, run) {
  console.log(`\n${title}`);
  try {
    await run();
  } catch (error) {
    failed += 1;
    const code = error instanceof ModelError ? error.data.code : "no ModelError";
    console.log(`    FAILED (${code}): ${error.message}`);
  }
}

console.log(`${model.label} at ${new URL(url).host}, ${key ? "with" : "without"} a key`);

await scenario("It says something, bit by bit", async () => {
  const { text, end } = await ask({ messages: [user("Count from one to ten, in words.")] });
  must(text.length > 10, "there is hardly any text");
  must(end === "stop", "it did not end by itself");
});

await scenario("It calls two tools at once, and answers with their results", async () => {
  const question = user("What is the weather in Rome and in Oslo? Call the tool for both at the same time.");
  const { text, calls, end } = await ask({ messages: [question], tools: [weather] });
  must(calls.size > 0, "it called no tool");
  must(calls.size !== 1, "it called one tool only; some models cannot do more");
  must(end === "tools", "it did not wait for results");
  const written = [...calls].map(([id, call]) => ({ id, name: call.name, arguments: JSON.parse(call.text) }));
  must(
    [...calls.values()].every((call) => call.isWritten),
    "a call was not ended",
  );
  const messages = [
    question,
    {
      role: "assistant",
      content: [
        ...(text ? [{ type: "text", text }] : []),
        ...written.map((call) => ({ type: "call", ...call })),
      ],
    },
    {
      role: "tool",
      content: written.map((call) => ({
        type: "result",
        id: call.id,
        name: call.name,
        text: `${call.arguments.city}: 21 degrees, sunny`,
        isError: false,
      })),
    },
  ];
  const last = await ask({ messages, tools: [weather] });
  must(last.text.includes("21"), "it does not say what the tool said");
});

await scenario("It hears that a call failed", async () => {
  const messages = [
    user("What is the weather in Rome?"),
    {
      role: "assistant",
      content: [{ type: "call", id: "call_1", name: "weather", arguments: { city: "Rome" } }],
    },
    {
      role: "tool",
      content: [{ type: "result", id: "call_1", name: "weather", text: "no such station", isError: true }],
    },
  ];
  const { end } = await ask({ messages, tools: [weather] });
  must(end === "stop" || end === "tools", "it did not go on");
});

await scenario("It keeps to a number of tokens", async () => {
  const { end } = await ask({ messages: [user("Write a long story about a lighthouse.")], maxTokens: 30 });
  must(end === "length", "it went on");
});

await scenario("It stops at once", async () => {
  const stop = new AbortController();
  let at;
  const request = { messages: [user("Write a long story about a lighthouse.")] };
  const each = (delta) => {
    if (delta.kind !== "text" || at !== undefined) return;
    at = performance.now();
    stop.abort(new Error("stopped"));
  };
  const reason = await ask(request, { signal: stop.signal, each }).catch((error) => error);
  const took = Math.round(performance.now() - at);
  console.log(`    ended ${took} ms after it was stopped`);
  must(reason?.message === "stopped" && took < 1_000, "it did not end with the reason, or too late");
});

if (key) {
  await scenario("It does not take a wrong key, and says so without showing it", async () => {
    const wrong = "wrong-key-0123456789";
    const other = aiModel({ ...provider, key: wrong }, name);
    const error = await ask({ messages: [user("Hello")] }, { on: other }).catch((reason) => reason);
    console.log(`    ${error?.data?.code}: ${error?.message}`);
    must(error?.data?.code === "model-unauthorized", "another word was expected");
    must(!String(error?.message).includes(wrong), "the key is shown");
  });
}

await scenario("It does not know a model that there is not", async () => {
  const other = aiModel(provider, "no-such-model-4711");
  const error = await ask({ messages: [user("Hello")] }, { on: other }).catch((reason) => reason);
  console.log(`    ${error?.data?.code}: ${error?.message}`);
  must(
    error?.data?.code === "model-unknown",
    "another word was expected; local servers answer with any model",
  );
});

console.log(failed ? `\n${failed} of it is not as it must be.` : "\nAll is as it must be.");
process.exitCode = failed ? 1 : 0;
