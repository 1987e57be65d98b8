/**
 * The official example servers behind the gateway, over stdio and over HTTP, with their apps in a real browser: page →
 * one WebSocket → guard → audit log → server, and back. Servers over stdio run in the strongest isolation there is.
 */
import { spawn } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isVisibleTo, readToolUi } from "@vitrine/protocol";
import type { Frame, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { GatewayPageApi } from "../../../testing/gateway/gateway-page.ts";
import { GatewayStage, officialServer } from "../../../testing/gateway/gateway-stage.ts";
import { colours, decodePng } from "../../../testing/host/picture.ts";
import { writePdf } from "../../../testing/host/small-pdf.ts";
import { freePort, until } from "../../../testing/sandbox-stage.ts";

declare const host: GatewayPageApi;

interface App {
  name: string;
  input?: Record<string, unknown>;
  /** Of the server's command line. */
  args?: string[];
  relax?: string[];
  /** What the view must say. */
  shows?: RegExp;
  /** What it draws on. */
  draws?: string;
  /** The colour of much of that, where only what was asked for has it: what went wrong is told in colours, too. */
  colour?: number;
  /** What a person does. */
  act?: (view: Frame) => Promise<unknown>;
  /** The tool that the view itself calls then, or from the beginning. */
  calls?: string;
}

const folder = await mkdtemp(join(tmpdir(), "vitrine-official-"));
const pdf = join(folder, "two-pages.pdf");

const BASIC: App[] = ["react", "vanillajs", "vue", "svelte", "preact", "solid"].map((framework) => ({
  name: `basic-${framework}`,
  shows: /Server Time: \d{4}-/,
  act: (view) => view.getByRole("button", { name: "Get Server Time" }).click(),
  calls: "get-time",
}));

const APPS: App[] = [
  ...BASIC,
  { name: "budget-allocator", shows: /Marketing 25.0% \$25K/, draws: "#budget-chart" },
  { name: "cohort-heatmap", shows: /M0 M1 M2/, draws: "[class*=_heatmapGrid_]", calls: "get-cohort-data" },
  {
    name: "customer-segmentation",
    shows: /Enterprise \(\d+\)/,
    draws: "#scatter-chart",
    calls: "get-customer-data",
  },
  { name: "debug", shows: /Host test host v1.0.0/, calls: "debug-log" },
  {
    name: "pdf",
    args: [pdf],
    input: { url: pdf },
    relax: ["blob-workers", "data-scripts"],
    shows: /The first page/,
    draws: "#pdf-canvas",
    calls: "read_pdf_bytes",
  },
  { name: "scenario-modeler", shows: /Starting MRR \$50K/, draws: "canvas" },
  {
    name: "shadertoy",
    input: {
      fragmentShader: `void mainImage(out vec4 colour, in vec2 place) {
        vec2 uv = place / iResolution.xy;
        colour = uv.x < 0.5 ? vec4(uv, 0.5, 1.0) : vec4(16.0, 36.0, 62.0, 255.0) / 255.0;
      }`,
    },
    draws: "canvas",
    colour: 0x10243e,
  },
  {
    name: "sheet-music",
    input: { abcNotation: "X:1\nT:A Scale\nM:4/4\nL:1/4\nK:C\nC D E F |" },
    shows: /A Scale/,
    draws: "svg",
  },
  { name: "system-monitor", shows: /MEMORY \d+%/, draws: "canvas", calls: "poll-system-stats" },
  {
    name: "threejs",
    input: {
      code: `const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(60, width / height, 0.1, 100);
const renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
renderer.setSize(width, height);
renderer.setClearColor(0x10243e, 1);
scene.add(new THREE.Mesh(new THREE.TorusKnotGeometry(1, 0.3, 96, 16), new THREE.MeshNormalMaterial()));
camera.position.z = 4;
renderer.render(scene, camera);`,
    },
    relax: ["unsafe-eval"],
    draws: "canvas",
    colour: 0x10243e,
  },
];

let stage: GatewayStage;
const ports = new Map<string, number>();

/** Starts a server as its users would, where the gateway expects it. */
async function startOverHttp({ name, args = [] }: App): Promise<void> {
  const port = ports.get(name);
  const child = spawn(process.execPath, [officialServer(name), ...args], {
    env: { PATH: process.env["PATH"], PORT: `${port}` },
    stdio: "ignore",
  });
  onTestFinished(() => void child.kill());
  await until(() => fetch(`http://127.0.0.1:${port}/mcp`, { method: "POST" }));
}

beforeAll(async () => {
  // The servers run as somebody else.
  await chmod(folder, 0o755);
  await writeFile(pdf, writePdf(["The first page", "The second page"]));
  for (const { name } of APPS) ports.set(name, await freePort());
  const mcpServers = Object.fromEntries(
    APPS.flatMap(({ name, args = [], relax = [] }) => {
      const command = { command: process.execPath, args: [officialServer(name), "--stdio", ...args] };
      const isolation = { driver: "auto", read: [folder] };
      return [
        [`${name}-stdio`, { ...command, isolation, relax, limits: { idle: "5s" } }],
        [`${name}-http`, { url: `http://127.0.0.1:${ports.get(name)}/mcp`, relax }],
      ];
    }),
  );
  stage = await GatewayStage.open({ mcpServers });
});
afterAll(async () => {
  await stage?.close();
  await rm(folder, { recursive: true, force: true });
});

const textOf = async (view: Frame): Promise<string> =>
  (await view.locator("body").allInnerTexts()).join().replace(/\s+/g, " ");

/**
 * The colours that a person sees of an element, the most frequent first; none when one of them is nearly everywhere: it
 * is blank then.
 */
async function coloursOf(element: Locator): Promise<number[]> {
  const picture = decodePng(await element.screenshot());
  const [[first, most] = [0, 0], ...rest] = colours(picture);
  return most < picture.pixels.length * 0.995 ? [first, ...rest.map(([colour]) => colour)] : [];
}

const heard = (page: Page, event: string): Promise<unknown[]> =>
  page.evaluate((key) => host.log.values(key), event);

/** The tool with a UI that a model may call. */
async function toolOf(server: string): Promise<string> {
  const { tools } = await stage.gateway.catalogue({ user: "local" }, server);
  const tool = tools.find((one) => isVisibleTo(one, "model") && readToolUi(one).resourceUri);
  if (!tool) throw new Error(`${server} has no tool with a UI`);
  return tool.name;
}

describe.each(["stdio", "http"])("over %s", (transport) => {
  it.each(APPS)("T07, C01, C05 and I01: $name", async (app) => {
    const server = `${app.name}-${transport}`;
    if (transport === "http") await startOverHttp(app);
    const page = await stage.openPage();
    const tool = await toolOf(server);
    const view = await stage.open(page, "app", server, tool, app.input ?? {});
    if (app.shows) await expect.poll(() => textOf(view)).toMatch(app.shows);
    if (app.draws) {
      const drawing = view.locator(app.draws).first();
      await expect.poll(async () => (await coloursOf(drawing)).length).toBeGreaterThan(9);
      if (app.colour !== undefined)
        await expect.poll(async () => (await coloursOf(drawing)).slice(0, 3)).toContain(app.colour);
    }
    await app.act?.(view);
    // Every call of the view, and the model's own, is on record, as allowed, with how it ended.
    const allowed = async (actor: string, target: string) => {
      const rows = await stage.rows({ server, newestFirst: true });
      const entries = rows.filter(
        (row) => row.kind === "entry" && row.actor === actor && row.target === target,
      );
      return entries.some(
        ({ seq, decision }) =>
          decision === "allowed" && rows.some((row) => row.of === seq && row.outcome === "ok"),
      );
    };
    if (app.calls) await expect.poll(() => allowed("view", `${app.calls}`)).toBe(true);
    await expect.poll(() => allowed("host", tool)).toBe(true);
    expect(await heard(page, "app result")).toHaveLength(1);
    await page.evaluate(() => host.close("app"));
    expect(await heard(page, "odd")).toEqual([]);
    const refused = await stage.rows({ server, decision: "refused" });
    // What a view still asks while it is closed is taken back with it.
    expect(refused.filter(({ reason }) => reason !== "aborted")).toEqual([]);
    await page.close();
  });
});
