/**
 * The official example servers behind the gateway, with their apps in the built workbench: page → WebSocket →
 * guard → audit log → server, and back. Every second server runs over stdio in the strongest available
 * isolation, the others over HTTP.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isVisibleTo, readToolUi, type Tool } from "@vitrine/protocol";
import type { Frame, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../testing/free-port.ts";
import { GatewayStage, officialServer } from "../../../testing/gateway/gateway-stage.ts";
import { builtWorkbench, SELDOM, WorkbenchPage } from "../../../testing/gateway/workbench-page.ts";
import { colours, decodePng } from "../../../testing/host/picture.ts";
import { writePdf } from "../../../testing/host/small-pdf.ts";

interface App {
  name: string;
  input?: Record<string, string>;
  /** Arguments of the server's command line. */
  args?: string[];
  relax?: string[];
  /** Whether it needs a browser permission, which the user is asked about before the app is shown. */
  permission?: true;
  /** The text that the view must show. */
  shows?: RegExp;
  /** The element that it draws on. */
  draws?: string;
  /**
   * A frequent colour of that element, if only the expected drawing has it: errors are drawn in colours, too.
   */
  colour?: number;
  /** The user's actions. */
  act?: (view: Frame) => Promise<unknown>;
  /** The tool that the view calls after that, or from the start. */
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
  { name: "debug", shows: /Host vitrine-workbench v\d+\.\d+\.\d+/, calls: "debug-log" },
  {
    name: "pdf",
    args: [pdf],
    input: { url: pdf },
    relax: ["blob-workers", "data-scripts"],
    permission: true,
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

beforeAll(async () => {
  // The servers run as another user.
  await chmod(folder, 0o755);
  await writeFile(pdf, writePdf(["The first page", "The second page"]));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const textOf = async (view: Frame): Promise<string> =>
  (await view.locator("body").allInnerTexts()).join().replace(/\s+/g, " ");

/** A picture is costly, so the next one is taken only when there may be more to see. */
const PICTURES = { interval: 250 };

/**
 * The visible colours of an element, the most frequent first; empty if one of them is nearly everywhere, so
 * that it is blank.
 */
async function coloursOf(element: Locator): Promise<number[]> {
  const picture = decodePng(await element.screenshot());
  const [[first, most] = [0, 0], ...rest] = colours(picture);
  return most < picture.pixels.length * 0.995 ? [first, ...rest.map(([colour]) => colour)] : [];
}

/** Checks the text and the drawing of the app. */
async function expectShown(view: Frame, { shows, draws, colour }: App): Promise<void> {
  if (shows) await expect.poll(() => textOf(view)).toMatch(shows);
  if (!draws) return;
  const drawing = view.locator(draws).first();
  const drawn = async (): Promise<{ isDrawn: boolean; first: number[] }> => {
    const seen = await coloursOf(drawing);
    return { isDrawn: seen.length > 9, first: seen.slice(0, 3) };
  };
  const first = colour === undefined ? expect.any(Array) : expect.arrayContaining([colour]);
  await expect.poll(drawn, PICTURES).toEqual({ isDrawn: true, first });
}

/** Checks that every call of the view, and of the model, is recorded as allowed, with its outcome. */
async function expectOnRecord(
  stage: GatewayStage,
  server: string,
  tool: string,
  { calls }: App,
): Promise<void> {
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
  if (calls) await expect.poll(() => allowed("view", calls)).toBe(true);
  await expect.poll(() => allowed("host", tool)).toBe(true);
}

async function expectNothingRefused(stage: GatewayStage, server: string): Promise<void> {
  const refused = await stage.rows({ server, decision: "refused" });
  // Requests of a view that is being closed are cancelled.
  expect(refused.filter(({ reason }) => reason !== "aborted")).toEqual([]);
}

/** The tool with a UI that a model may call. */
async function toolOf(stage: GatewayStage, server: string): Promise<Tool> {
  const { tools } = await stage.gateway.api.catalogue({ user: "local" }, server);
  const tool = tools.find((one) => isVisibleTo(one, "model") && readToolUi(one).resourceUri);
  if (!tool) throw new Error(`${server} has no tool with a UI`);
  return tool;
}

describe("in the workbench", () => {
  let stage: GatewayStage;
  let workbench: WorkbenchPage;
  const children: ChildProcess[] = [];

  /** Starts a server like its users would; returns its address. */
  async function startOverHttp({ name, args = [] }: App): Promise<string> {
    const port = await freePort();
    const child = spawn(process.execPath, [officialServer(name), ...args], {
      env: { PATH: process.env["PATH"], PORT: `${port}` },
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.push(child);
    let complaint = "";
    child.stderr.on("data", (data) => {
      complaint += data;
    });
    const gone = once(child, "close").then(() =>
      Promise.reject(new Error(`${name} did not start: ${complaint}`)),
    );
    gone.catch(() => {});
    // It prints when it listens. Later output is read too, so that it never blocks.
    const listens = new Promise<void>((resolve) => {
      child.stdout.on("data", (data) => `${data}`.includes("listening") && resolve());
    });
    await Promise.race([listens, gone]);
    return `http://127.0.0.1:${port}/mcp`;
  }

  beforeAll(async () => {
    // All at once: the workbench requests the catalogue of each.
    const servers = await Promise.all(
      APPS.map(async (app) => {
        const reached = isOverStdio(app) ? isolated(app) : { url: await startOverHttp(app) };
        return [app.name, { ...reached, relax: app.relax ?? [] }] as const;
      }),
    );
    stage = await GatewayStage.open({ mcpServers: Object.fromEntries(servers) }, builtWorkbench());
    workbench = await WorkbenchPage.open(stage.context, stage.gateway.loginUrl());
  });
  afterAll(async () => {
    await stage?.close();
    for (const child of children) child.kill();
  });

  const isOverStdio = (app: App): boolean => APPS.indexOf(app) % 2 === 0;
  const isolated = ({ name, args = [] }: App) => ({
    command: process.execPath,
    args: [officialServer(name), "--stdio", ...args],
    isolation: { driver: "auto", read: [folder] },
  });

  it.each(APPS)("T07, C01, C05 and I01: $name", async (app) => {
    const server = app.name;
    const { name: tool, title = tool } = await toolOf(stage, server);
    await workbench.pick({ server, title });
    // Input with several lines is pasted; other input is typed into the form.
    if (app.input) await workbench[JSON.stringify(app.input).includes("\\n") ? "paste" : "fill"](app.input);
    const card = await workbench.run(title);
    if (app.permission) await workbench.agree();
    const view = await workbench.appIn(card);
    // No server declares its tools read-only: the user is asked about calls of the app.
    if (app.calls && !app.act) await workbench.agree();
    await expectShown(view, app);
    await app.act?.(view);
    if (app.calls && app.act) await workbench.agree();
    await expectOnRecord(stage, server, tool, app);
    await workbench.inspector.locator(".in-about").getByText(server).waitFor();
    await expect.poll(() => workbench.countMessages("ui/notifications/tool-result"), SELDOM).toBe(1);
    expect(await workbench.noticed()).toEqual([]);
    await workbench.remove(card);
    await expectNothingRefused(stage, server);
  });

  it("the workbench itself logs no errors", () => {
    expect(workbench.complaints).toEqual([]);
  });
});
