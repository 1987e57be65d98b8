/**
 * The time from saving a view until the new one is on the screen, with the data of the previous one.
 * Measured with a server that watches its own files, and with one that is restarted.
 *
 * @module
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { viewScript } from "@vitrine/view/script";
import { ROOT } from "../contenders.mjs";
import { ms, quantile, table } from "../statistics.mjs";
import { start } from "./start.mjs";

/** Maximum milliseconds from the save to the new view. */
const EXPECTED = 200;
/** Milliseconds between two saves. */
const PAUSE = 300;

const SERVER = `
import { appServer, serve, tool, view } from "@vitrine/server";
const page = view({ name: "page", file: new URL("./page.html", import.meta.url) });
const show = tool({ name: "show", view: page, run: () => "the data" });
await serve(appServer({ name: "shop", version: "1.0.0", tools: [show] }));
`;

const pageOf = (edition) => `<!doctype html>
<title>Page</title>
<p id="shown"></p>
<script>${viewScript({ name: "page", version: "1.0.0" })}</script>
<script>
  const app = new vitrine.App();
  app.ontoolresult = ({ content }) => {
    shown.textContent = content[0].text;
    // Immediately before it is painted.
    requestAnimationFrame(() => console.log("edition ${edition} at " + Date.now()));
  };
  app.connect();
</script>
`;

/** Times of so many saves, with a server that was started this way. */
async function measureSaves(browser, folder, words, saves) {
  writeFileSync(join(folder, "page.html"), pageOf(0));
  const { link, stop } = await start(join(folder, "data"), ["dev", join(folder, "shop.mjs"), ...words]);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    await page.goto(link);
    await page.getByRole("option", { name: "show" }).click();
    const times = [];
    for (let edition = 0; edition <= saves; edition++) {
      const began = Date.now();
      // By the view's own clock, which is the same as this one: querying it from outside takes longer than
      // waiting for it.
      const shown = page.waitForEvent("console", (message) =>
        message.text().startsWith(`edition ${edition} `),
      );
      if (edition === 0) await page.getByRole("button", { name: "Run", exact: true }).click();
      else writeFileSync(join(folder, "page.html"), pageOf(edition));
      const at = Number((await shown).text().split(" ").at(-1));
      if (edition > 0) times.push(at - began);
      await page.waitForTimeout(PAUSE);
    }
    return { p50: quantile(times, 0.5), p90: quantile(times, 0.9) };
  } finally {
    await context.close();
    await stop();
  }
}

export async function measureReload(browser, saves) {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-reload-"));
  try {
    mkdirSync(join(folder, "data"));
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "shop.mjs"), SERVER);
    return {
      saves,
      followed: await measureSaves(browser, folder, [], saves),
      restarted: await measureSaves(browser, folder, ["--env", "VITRINE_RELOADS=0"], saves),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const showReload = ({ saves, followed, restarted }) =>
  table(
    [`${saves} saves`, "median", "p90"],
    [
      ["the server follows its files", ms(followed.p50), ms(followed.p90)],
      ["it is started again", ms(restarted.p50), ms(restarted.p90)],
    ],
  );

/** Returns one line for each expectation that is not met. */
export const reloadShortfalls = ({ followed }) =>
  followed.p90 > EXPECTED
    ? [`over ${ms(EXPECTED)} from the save of a view to the new one, p90: ${ms(followed.p90)}`]
    : [];
