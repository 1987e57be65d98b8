/**
 * A conversation of a thousand turns with Markdown: the frames while it is scrolled, and the time from a key
 * to its letter on the screen.
 *
 * @module
 */
import { count, ms, quantile, table } from "../statistics.mjs";
import { pause, saying } from "./model-server.mjs";
import { openConversationStage } from "./stage.mjs";

const TURNS = 1_000;
/** Number of measured frames, and pixels to scroll in each: a fast turn of the wheel. */
const FRAMES = 600;
const STEP = 200;
const KEYS = 60;
/** Milliseconds between keys: a fast typist. */
const APART = 80;
/** Milliseconds of a frame that came too late at 60 a second, with some room for the clock. */
const LATE = 20;
/** Milliseconds of script for a key, p95. */
const EXPECTED_SCRIPT = 16;
/** Milliseconds until the end of the conversation is shown, script and sign-in included. */
const EXPECTED_OPENING = 2_000;

/** An answer with what models write: headings, lists, code, and a table. */
const answer = (n) => `## Answer ${n}

The **first** point is that \`value\` number ${n} is _not_ what it seems, because of [this page](https://example.com/${n}).

- One thing to know about ${n}
- Another thing, with \`code\`
- A third thing that is long enough to need a second line in most windows, as many of them do

\`\`\`js
const total = [${n}, 2, 3].reduce((sum, each) => sum + each, 0);
console.log(total);
\`\`\`

| name | count |
|---|---|
| first | ${n} |
| second | ${n + 1} |

turn${n}.`;

/** Talks to the model without a page; returns the conversation's id. */
async function talk(stage) {
  const client = stage.client();
  try {
    const { id } = await client.request("conversation/open", {});
    let ended = () => {};
    let isRunning = false;
    client.on("conversation/changed", ({ changes }) => {
      for (const change of changes) {
        if (change.kind !== "state" || change.isRunning === isRunning) continue;
        isRunning = change.isRunning;
        if (!isRunning) ended();
      }
    });
    for (let n = 0; n < TURNS; n++) {
      stage.model.add(saying(answer(n)));
      const done = new Promise((resolve) => {
        ended = resolve;
      });
      await client.request("conversation/send", {
        id,
        content: [{ type: "text", text: `This is question ${n}` }],
      });
      await done;
    }
    return id;
  } finally {
    client.close();
  }
}

/** Runs in the page: the times between frames while the conversation is scrolled, up and then down. */
const SCROLL = `
  new Promise((resolve) => {
    const list = document.querySelector(".conversation-list");
    const times = [];
    let last;
    let direction = -1;
    const next = (now) => {
      if (last !== undefined) times.push(now - last);
      last = now;
      if (times.length >= ${FRAMES}) return resolve(times);
      if (times.length === ${FRAMES / 2}) direction = 1;
      // From time to time, the scroll bar is dragged.
      if (times.length % 100 === 99) list.scrollTop = list.scrollHeight * ((times.length % 7) / 7);
      else list.scrollTop += direction * ${STEP};
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  })`;

/** Runs in the page: whether the last answer is shown. */
const IS_SHOWN = `[...document.querySelectorAll(".conversation-inner article")].at(-1).textContent.includes("turn${TURNS - 1}.")`;

/** Runs in the page: whether all turns are drawn. */
const IS_WHOLE = `!document.querySelector(".conversation-block[data-waiting]")`;

/** Runs in the page: collects the times from a key's event to the frame with its letter. */
const TYPE = `
  {
    globalThis.typed = [];
    const area = document.querySelector('textarea[aria-label="Message"]');
    area.focus();
    area.oninput = ({ timeStamp }) => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => typed.push(performance.now() - timeStamp);
      // The first task after the frame: what is drawn is on its way to the screen.
      requestAnimationFrame(() => channel.port2.postMessage(0));
    };
  }`;

/** Reads how many milliseconds the page's main thread has worked, and its scripts. */
async function worked(page) {
  const { metrics } = await page.send("Performance.getMetrics", {});
  const of = (key) => metrics.find(({ name }) => name === key).value * 1000;
  return { task: of("TaskDuration"), script: of("ScriptDuration") };
}

const report = (times) => {
  const at = (share) => Math.round(quantile(times, share) * 10) / 10;
  return { n: times.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
};

/** Types; returns the times to the screen, and the work of the page for each key. */
async function type(page) {
  await page.evaluate(TYPE);
  const tasks = [];
  const scripts = [];
  for (let n = 0; n < KEYS; n++) {
    const before = await worked(page);
    const text = "abcdefghij"[n % 10];
    await page.send("Input.dispatchKeyEvent", { type: "keyDown", text, key: text });
    await page.send("Input.dispatchKeyEvent", { type: "keyUp", key: text });
    await pause(APART);
    const after = await worked(page);
    tasks.push(after.task - before.task);
    scripts.push(after.script - before.script);
  }
  return { shown: report(await page.evaluate("typed")), task: report(tasks), script: report(scripts) };
}

async function scroll(page) {
  const before = await worked(page);
  const times = await page.evaluate(SCROLL);
  const work = ((await worked(page)).task - before.task) / FRAMES;
  return { ...report(times), late: times.filter((each) => each > LATE).length, work };
}

async function measure(stage, browser) {
  const id = await talk(stage);
  const began = performance.now();
  const page = await stage.page(browser, id);
  while (!(await page.evaluate(IS_SHOWN))) await pause(20);
  const opened = performance.now() - began;
  await page.send("Performance.enable", { timeDomain: "threadTicks" });
  const early = await type(page);
  while (!(await page.evaluate(IS_WHOLE))) await pause(20);
  const whole = performance.now() - began;
  const typing = await type(page);
  const scrolling = await scroll(page);
  const elements = await page.evaluate("document.querySelectorAll('*').length");
  await page.close();
  return { turns: TURNS, opened, whole, elements, early, typing, scrolling };
}

/** Measures the page with the conversation at its end. */
export async function measureThousandTurns(browser) {
  const stage = await openConversationStage();
  try {
    return await measure(stage, browser);
  } finally {
    await stage.close();
  }
}

/** The results, in two tables. */
export const showThousandTurns = ({ turns, opened, whole, elements, early, typing, scrolling }) =>
  [
    table(
      [`${count(turns)} turns, ${count(elements)} elements`, "p50", "p95", "p99", "longest"],
      [
        ["frame while it scrolls", scrolling],
        ["key → letter, just opened", early.shown],
        ["key → letter on the screen", typing.shown],
        ["the page's work for a key", typing.task],
        ["the page's script for a key", typing.script],
      ].map(([what, { p50, p95, p99, max }]) => [what, ...[p50, p95, p99, max].map(ms)]),
    ),
    "",
    `Opened in ${ms(opened)}; all turns were drawn after ${ms(whole)}. ${scrolling.late} of ${scrolling.n} frames took over ${LATE} ms; a frame is ${ms(scrolling.work)} of work.`,
  ].join("\n");

/** Returns one line for each expectation that is not met. */
export const thousandTurnsShortfalls = ({ opened, typing, scrolling }) => [
  ...(opened > EXPECTED_OPENING
    ? [`a conversation of ${count(TURNS)} turns opens after ${ms(EXPECTED_OPENING)}: ${ms(opened)}`]
    : []),
  ...(scrolling.p95 > LATE
    ? [
        `a conversation of ${count(TURNS)} turns scrolls with frames over ${LATE} ms, p95: ${ms(scrolling.p95)}`,
      ]
    : []),
  ...(typing.script.p95 > EXPECTED_SCRIPT
    ? [
        `a key in a conversation of ${count(TURNS)} turns takes over ${EXPECTED_SCRIPT} ms of script, p95: ${ms(typing.script.p95)}`,
      ]
    : []),
];
