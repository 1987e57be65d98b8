/**
 * The start-up time of an app: from the insertion of its iframe until the host receives
 * `ui/notifications/initialized`. The host is the same few lines of `postMessage` for all contenders.
 *
 * Two situations. *Cold*: the app's site has no process yet. *Warm*: a frame of the same site is already
 * there, as the proxy is in a real host. No sample can reuse compiled code of an earlier one: each script
 * differs by a comment.
 *
 * @module
 */
import { inline, pageOf, serve } from "./browser.mjs";
import { CONTENDERS, withRollup } from "./contenders.mjs";
import { against, ms, pairs, quantile, ratio, shuffled, summary, table } from "./statistics.mjs";

/** The least that a page can do: the floor of all contenders. */
const FLOOR = {
  id: "floor",
  side: "floor",
  label: "floor (handshake by hand)",
  minimal: `
    addEventListener("message", () =>
      parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/initialized", params: {} }, "*"), { once: true });
    parent.postMessage({ jsonrpc: "2.0", id: 0, method: "ui/initialize", params: {} }, "*");
  `,
};

/** The host page. It is serialised, so it uses nothing from outside. */
function hostPage() {
  const RESULT = {
    protocolVersion: "2026-01-26",
    hostInfo: { name: "bench", version: "1" },
    hostCapabilities: {},
    hostContext: {},
  };
  /** Loads a view and returns the milliseconds of each step. */
  globalThis.start = (url) =>
    new Promise((resolve, reject) => {
      const frame = document.createElement("iframe");
      frame.allow = "cross-origin-isolated";
      frame.src = url;
      const steps = {};
      const began = performance.now();
      const since = () => performance.now() - began;
      const end = () => {
        if (steps.initialized === undefined || steps.script === undefined) return;
        clearTimeout(timer);
        removeEventListener("message", hear);
        frame.remove();
        resolve(steps);
      };
      const hear = ({ data, source }) => {
        if (source !== frame.contentWindow) return;
        if (data.method === "ui/initialize") {
          steps.asked = since();
          source.postMessage({ jsonrpc: "2.0", id: data.id, result: RESULT }, "*");
        } else if (data.method === "ui/notifications/initialized") steps.initialized = since();
        else if (data.script !== undefined) steps.script = data.script;
        end();
      };
      const timer = setTimeout(() => reject(new Error(`${url} never initialised`)), 20_000);
      addEventListener("message", hear);
      document.body.append(frame);
    });
  /** Keeps a site's process alive until the returned function is called. */
  globalThis.hold = (url) =>
    new Promise((resolve) => {
      const frame = document.createElement("iframe");
      frame.src = url;
      frame.onload = () => resolve(undefined);
      document.body.append(frame);
      globalThis.release = () => frame.remove();
    });
}

/** No new iteration after this many milliseconds: a busy machine gets fewer samples, not a longer run. */
const PATIENCE = 40_000;
const BEFORE = "<script>globalThis.began=performance.now()</script>";
/** Reports how long the browser took to compile and run the script. */
const AFTER = `
;{const script=performance.now()-globalThis.began;setTimeout(()=>parent.postMessage({script},"*"))}`;

/** Measures all contenders in turn, `iterations` times, in both situations. */
export async function measureStartup(browser, iterations = 30) {
  const subjects = [FLOOR, ...CONTENDERS];
  const pages = { "/": () => pageOf(`(${hostPage})()`), "/view/empty": () => "<!doctype html>" };
  for (const { id, minimal } of subjects) {
    const code = inline(await withRollup(minimal)) + AFTER;
    pages[`/view/${id}`] = (query) => pageOf(`/*${query.get("n")}*/${code}`, BEFORE);
  }
  const site = await serve(pages);
  const page = await browser.newPage();
  const samples = {};
  try {
    await page.goto(site.origin("host"));
    for (const situation of ["cold", "warm"]) {
      const deadline = Date.now() + PATIENCE;
      // An extra round: the first is discarded.
      for (let n = 0; n <= iterations && (n < 2 || Date.now() < deadline); n++) {
        for (const { id } of shuffled(subjects)) {
          const origin = site.origin(`view-${situation}-${id}-${n}`);
          if (situation === "warm") await page.evaluate((url) => hold(url), `${origin}/view/empty`);
          const steps = await page.evaluate((url) => start(url), `${origin}/view/${id}?n=${situation}${n}`);
          if (situation === "warm") await page.evaluate(() => release());
          if (n > 0) ((samples[situation] ??= {})[id] ??= []).push(steps);
        }
      }
    }
  } finally {
    await page.close();
    site.close();
  }
  return Object.fromEntries(
    Object.entries(samples).map(([situation, byId]) => [situation, summarise(subjects, byId)]),
  );
}

function summarise(subjects, byId) {
  const rows = subjects.map(({ id, side, label }) => ({
    id,
    side,
    label,
    ...summary(byId[id].map(({ initialized }) => initialized)),
    // Where the time goes: compiling and running the script, and the handshake after it.
    script: quantile(
      byId[id].map(({ script }) => script),
      0.5,
    ),
    handshake: quantile(
      byId[id].map(({ asked, initialized }) => initialized - asked),
      0.5,
    ),
  }));
  const floor = rows.find(({ side }) => side === "floor");
  const ratios = pairs(rows, (official, ours) => ({
    p50: ratio(official.p50, ours.p50),
    p99: ratio(official.p99, ours.p99),
    script: ratio(official.script, ours.script),
    aboveFloor: ratio(official.p50 - floor.p50, ours.p50 - floor.p50),
  }));
  return { rows, ratios };
}

/** The result as text. */
export function showStartup(result) {
  return Object.entries(result)
    .map(([situation, { rows, ratios }]) =>
      table(
        [`${situation} process`, "n", "p50", "p99", "÷View", "÷App", "of it script", "handshake"],
        rows.map((row) => [
          row.label,
          row.n,
          ms(row.p50),
          ms(row.p99),
          against(ratios, row, "view", "p50"),
          against(ratios, row, "app", "p50"),
          ms(row.script),
          ms(row.handshake),
        ]),
      ),
    )
    .join("\n\n");
}
