/**
 * The cost of a token on its way from the model's server to the text in the page. For comparison: a page
 * that reads the same stream directly, and a process that does nothing else.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { processorTime } from "../server/processor-time.mjs";
import { quantile } from "../statistics.mjs";
import { now, pause } from "./model-server.mjs";
import { renderers } from "./stage.mjs";

/** A fast model: this many tokens, one every so many milliseconds. */
const TOKENS = 400;
const APART = 10;
/** As fast as the connection accepts them. */
const MANY = 5_000;

/** Sends numbered tokens; `left` records when each left. */
const numbered = (count, apart, left) => async (say) => {
  await pause(300);
  const began = performance.now();
  for (let n = 0; n < count; n++) {
    left.push(now());
    say.text(`t${n} `);
    // By the clock, because timers are late.
    const wait = apart && began + (n + 1) * apart - performance.now();
    if (wait > 0) await pause(wait);
    else await new Promise(setImmediate);
  }
  say.text("end.");
};

/** In a page: records when each token is in the text; resolves when the answer is complete. */
const WATCH = `
  new Promise((resolve) => {
    const list = document.querySelector(".conversation-inner");
    const seen = [];
    const known = list.querySelectorAll("article.model .markdown").length;
    const isBare = location.pathname === "/bare";
    const observer = new MutationObserver(() => {
      const text = [...list.querySelectorAll("article.model .markdown")].slice(isBare ? 0 : known).at(-1)?.textContent ?? "";
      const last = Number(/t(\\d+) ?(?:end\\.)?$/.exec(text)?.[1] ?? -1);
      for (const at = Date.now(); seen.length <= last; ) seen.push(at);
      if (!text.endsWith("end.") || [...list.querySelectorAll("article.model")].at(-1).ariaBusy !== "false") return;
      observer.disconnect();
      resolve(seen);
    });
    observer.observe(list, { subtree: true, childList: true, characterData: true, attributes: true });
  })`;

const cost = (pids) => pids.reduce((sum, pid) => sum + (processorTime(pid) ?? 0), 0);

/**
 * Runs one stream into a page. Measures latencies, and processor time per token, of the page and of the
 * gateway.
 */
async function stream({ model, pid }, browser, page, begin, count, apart) {
  const left = [];
  model.add(numbered(count, apart, left));
  const pages = await renderers(browser);
  const before = { page: cost(pages), gateway: cost([pid]) };
  const watching = page.evaluate(WATCH);
  await page.evaluate(begin);
  const seen = await watching;
  const times = left.map((at, n) => seen[n] - at);
  return {
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    mean: times.reduce((sum, each) => sum + each, 0) / times.length,
    total: seen.at(-1) - left[0],
    page: (cost(pages) - before.page) / count,
    gateway: (cost([pid]) - before.gateway) / count,
  };
}

/** Reads and parses the stream; its last line reports the cost. */
const READER = `import { request } from "node:http";
const times = [];
const asked = request(process.argv[1], { method: "POST" }, async (answer) => {
  const before = process.cpuUsage();
  let rest = "";
  for await (const chunk of answer.setEncoding("utf8")) {
    const events = (rest + chunk).split("\\n\\n");
    rest = events.pop();
    for (const event of events) if (JSON.parse(event.slice(6).replace("[DONE]", "{}")).choices?.[0].delta.content) times.push(Date.now());
  }
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify({ times, spent: (user + system) / 1000 }));
});
asked.end("{}");`;

async function read({ model }, count, apart) {
  const left = [];
  model.add(numbered(count, apart, left));
  const words = ["--input-type=module", "-e", READER, `${model.url}/chat/completions`];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (data) => {
    text += data;
  });
  await new Promise((resolve) => child.once("close", resolve));
  const { times, spent } = JSON.parse(text);
  const late = left.map((at, n) => times[n] - at);
  return {
    p50: quantile(late, 0.5),
    p99: quantile(late, 0.99),
    mean: late.reduce((sum, each) => sum + each, 0) / late.length,
    total: times[count - 1] - left[0],
    gateway: spent / count,
  };
}

/** Runs all measurements, at a model's pace and at full speed. */
export async function measureTokens(stage, browser) {
  const page = await stage.page(browser);
  const begin = `void bench.tell("Count", "end.")`;
  // The first answer pays for everything that the others share.
  await stream(stage, browser, page, begin, 50, APART);
  const ours = {
    paced: await stream(stage, browser, page, begin, TOKENS, APART),
    fast: await stream(stage, browser, page, begin, MANY, 0),
  };
  await page.close();
  const bare = {};
  for (const [kind, count, apart] of [
    ["paced", TOKENS, APART],
    ["fast", MANY, 0],
  ]) {
    const alone = await browser.openPage(`${stage.model.origin}/bare`);
    while (!(await alone.evaluate("typeof read === 'function'").catch(() => false))) await pause(50);
    bare[kind] = await stream(stage, browser, alone, "void read()", count, apart);
    await alone.close();
  }
  const node = { paced: await read(stage, TOKENS, APART), fast: await read(stage, MANY, 0) };
  return { tokens: TOKENS, perSecond: 1000 / APART, many: MANY, ours, bare, node };
}
