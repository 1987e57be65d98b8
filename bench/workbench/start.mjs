/**
 * The time from the command to a usable app, in the built workbench with its demo servers: the first time on
 * a machine (empty caches, a new browser) and again. Then the memory of the page with twenty apps.
 * `@modelcontextprotocol/inspector` needs a newer Node, and is named where it cannot run.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "../browser.mjs";
import { ms, quantile, table } from "../statistics.mjs";
import { firstPaintShortfalls, measureFirstPaint, showFirstPaint } from "./first-paint.mjs";

const MAIN = fileURLToPath(new URL("../../packages/cli/dist/main.js", import.meta.url));
const ROUNDS = Number(process.env.BENCH_WORKBENCH ?? 5);
const APPS = 20;

/** Starts the command; resolves with the link that it prints, and a function that stops it. */
export async function start(folder, words = []) {
  const child = spawn(process.execPath, [MAIN, ...words, "--no-open", "--port", "0", "--data", folder], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const link = await new Promise((resolve, reject) => {
    let text = "";
    exited.then(() => reject(new Error("the command ended")));
    child.stdout.on("data", (data) => {
      text += data;
      const [found] = /http:\/\/\S+\/login\S*/.exec(text) ?? [];
      if (found) resolve(found);
    });
  });
  return {
    link,
    async stop() {
      child.kill("SIGINT");
      await exited;
    },
  };
}

/** The weather app's own text, in its nested frame. */
const shown = (page) =>
  page.frameLocator("mcp-app iframe").first().frameLocator("iframe").getByText("This weather is made up.");

/** Measures one start, from the command to the app. */
async function measureStart(folder, browser) {
  const began = performance.now();
  const since = () => performance.now() - began;
  const { link, stop } = await start(folder);
  const times = { link: since() };
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    await page.goto(link);
    await page.getByRole("button", { name: /^Try “Weather/ }).click();
    times.called = since();
    await shown(page).waitFor();
    times.app = since();
    return times;
  } finally {
    await context.close();
    await stop();
  }
}

/** Memory of the renderers in bytes (PSS) with this many apps in the page, and with none. */
async function measureMemory(folder, browser) {
  const { link, stop } = await start(folder);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    await page.goto(link);
    const first = page.getByRole("button", { name: /^Try “Weather/ });
    await first.waitFor();
    const empty = await memory(browser);
    await first.click();
    for (let n = 1; n < APPS; n++) await page.getByRole("button", { name: "Run again" }).first().click();
    // Apps off the screen start late, so each is scrolled into view.
    for (let n = 0; n < APPS; n++) {
      await page.locator("mcp-app").nth(n).scrollIntoViewIfNeeded();
      const app = page.frameLocator(`mcp-app >> nth=${n} >> iframe`).frameLocator("iframe");
      await app.getByText("This weather is made up.").waitFor();
    }
    return { apps: APPS, empty, full: await memory(browser) };
  } finally {
    await context.close();
    await stop();
  }
}

async function memory(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo
    .filter(({ type }) => type === "renderer")
    .reduce((sum, { id }) => sum + proportionalSize(id), 0);
}

function proportionalSize(pid) {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** The official inspector does part of the same job, on a newer Node than the one used here. */
function peer() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 7)
    ? "not measured: it is no dependency here, as it does not run on Node 20"
    : `skipped: it needs Node 22.7 or newer, and this is ${process.versions.node}`;
}

export async function measureWorkbench() {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  const samples = { cold: [], warm: [] };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const data = join(folder, `${round}`);
      for (const kind of ["cold", "warm"]) {
        const browser = await launch();
        samples[kind].push(await measureStart(data, browser));
        await browser.close();
      }
    }
    const middle = (kind, key) =>
      Math.round(
        quantile(
          samples[kind].map((each) => each[key]),
          0.5,
        ),
      );
    const report = (kind) => ({
      link: middle(kind, "link"),
      called: middle(kind, "called"),
      app: middle(kind, "app"),
    });
    const browser = await launch();
    const { link, stop } = await start(join(folder, "paint"));
    const visits = await measureFirstPaint(link, browser, ROUNDS);
    await stop();
    const held = await measureMemory(join(folder, "memory"), browser);
    await browser.close();
    return {
      unit: "ms",
      rounds: ROUNDS,
      load: Math.round(loadavg()[0] * 10) / 10,
      cold: report("cold"),
      warm: report("warm"),
      visits,
      memory: {
        apps: held.apps,
        emptyMB: Math.round(held.empty / 1e6),
        fullMB: Math.round(held.full / 1e6),
      },
      inspector: peer(),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns one line for each measured value. */
export const showWorkbench = ({ rounds, cold, warm, visits, memory, inspector }) =>
  [
    table(
      [`median of ${rounds}`, "link printed", "first call", "app visible"],
      [
        ["first time", ...[cold.link, cold.called, cold.app].map(ms)],
        ["again", ...[warm.link, warm.called, warm.app].map(ms)],
      ],
    ),
    "",
    showFirstPaint(visits),
    "",
    `The page and its apps hold ${memory.emptyMB} MB with none, ${memory.fullMB} MB with ${memory.apps}.`,
    `The official inspector: ${inspector}`,
  ].join("\n");

/** Returns one line for each expectation that is not met. */
export const workbenchShortfalls = ({ visits }) => firstPaintShortfalls(visits);
