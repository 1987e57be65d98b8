/**
 * Auto-resize in an obedient host: which layouts reach the height that their content wants, with our `View`
 * and with the official `App`. Prints a table for the docs.
 *
 * As a command: `node bench/resize-layouts.mjs`, after `npm run build`.
 */
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { CHROMIUM_ARGS, findChromium } from "../scripts/chromium.mjs";
import { HOST_PAGE, LAYOUTS, layoutPath, TRAPS } from "../testing/layouts.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const STARTS = [0, 150, 600];
const INFO = '{ name: "view", version: "1" }';
const RUNTIMES = {
  ours: `import { View } from "@vitrine/view"; new View(${INFO}).connect();`,
  official: `import { App } from "@modelcontextprotocol/ext-apps"; new App(${INFO}, {}, { autoResize: true }).connect();`,
};

const layouts = [...LAYOUTS, ...TRAPS];
const results = { ours: await run(RUNTIMES.ours), official: await run(RUNTIMES.official) };

console.log("| layout | wants | ours | official |\n|---|---|---|---|");
for (const { name, group } of layouts) {
  const { natural } = results.ours.get(name);
  const cells = Object.values(results).map((result) => describe(result.get(name)));
  console.log(`| ${group ? `(${group}) ` : ""}${name} | ${natural} | ${cells.join(" | ")} |`);
}
console.log(`\nFinal heights from frames of ${STARTS.join(", ")} px; in brackets how many reports.`);
for (const [runtime, result] of Object.entries(results)) {
  const groups = byGroup(LAYOUTS);
  const right = [...groups.values()].filter((all) => all.every(({ name }) => result.get(name).right)).length;
  const traps = TRAPS.filter(({ name }) => result.get(name).right).length;
  console.log(`${runtime}: ${right} of ${groups.size} layouts, ${traps} of ${TRAPS.length} traps`);
}

function byGroup(all) {
  const groups = new Map();
  for (const layout of all) groups.set(layout.group, [...(groups.get(layout.group) ?? []), layout]);
  return groups;
}

function describe({ right, states }) {
  const heights = states.map(
    ({ height, sizes, stable }) => `${height} (${sizes.length}${stable ? "" : "…"})`,
  );
  return `${right ? "right" : "**wrong**"}: ${heights.join(", ")}`;
}

/** Opens every layout with a runtime, from every initial height. */
async function run(code) {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: ROOT },
    bundle: true,
    write: false,
    format: "iife",
    logLevel: "error",
  });
  const answers = new Map(layouts.map(({ name, html }) => [layoutPath(name), ["text/html", html]]));
  answers.set("/host", ["text/html", HOST_PAGE]);
  answers.set("/view.js", ["text/javascript", outputFiles[0].text]);
  const server = createServer(({ url }, response) => {
    const [type, body] = answers.get(url) ?? ["text/plain", ""];
    response.writeHead(200, { "content-type": `${type}; charset=utf-8` }).end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: CHROMIUM_ARGS,
    ignoreDefaultArgs: ["--hide-scrollbars"],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1300, height: 900 } });
    await page.goto(`http://localhost:${port}/host`);
    const result = new Map();
    for (const layout of layouts) {
      const src = `http://view.localhost:${port}${layoutPath(layout.name)}`;
      result.set(layout.name, await visit(page, src, layout));
    }
    return result;
  } finally {
    await browser.close();
    server.close();
    server.closeAllConnections();
  }
}

async function visit(page, src, { natural, needsWidth = 400, from = STARTS }) {
  const visits = from.map(async (height) => {
    const index = await page.evaluate(`add(${JSON.stringify({ src, height })})`);
    const state = await page.evaluate(`settle(${index}, { limit: 3000 })`);
    const element = (await page.evaluateHandle(`hosts[${index}].frame`)).asElement();
    const frame = await element.contentFrame();
    const flow = await frame.evaluate("document.documentElement.getBoundingClientRect().height");
    const wanted = natural === "flow" ? flow : natural === "frame" ? height || 150 : natural;
    const fits = Math.abs(state.height - wanted) <= 1 && state.width >= needsWidth;
    return { ...state, wanted, right: state.stable && fits };
  });
  const states = await Promise.all(visits);
  return {
    states,
    right: states.every(({ right }) => right),
    natural: natural === "flow" ? Math.ceil(states[0].wanted) : natural,
  };
}
