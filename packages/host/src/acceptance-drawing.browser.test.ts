/**
 * The official example servers in our host, in a real browser, part two: servers whose apps draw. Two of
 * them need more than the specification's policy allows, and get it only from the operator.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HostStage } from "../../../testing/host/host-stage.ts";
import { OfficialApp } from "../../../testing/host/official-app.ts";
import { type OfficialServer, startOfficialServer } from "../../../testing/host/official-servers.ts";
import { colours } from "../../../testing/host/picture.ts";
import { writePdf } from "../../../testing/host/small-pdf.ts";

let stage: HostStage;
beforeAll(async () => {
  stage = await HostStage.open();
});
afterAll(() => stage?.close());

const longTimeout = { timeout: 30_000 };

it("T07: budget-allocator shows the result, and its sliders and lists move the chart", async () => {
  const app = await OfficialApp.open(stage, "budget-allocator");
  const { view } = app;
  await app.shows("Budget Allocator", "Marketing 25.0% $25K", "Allocated: $100,000 / $100,000");
  await app.isDrawn(100);
  await app.keepPicture();

  const chart = "#budget-chart";
  await app.redraws(chart, () => view.locator("input[type=range]").first().fill("60"));
  await app.shows("Marketing 60.0% $60K", "Allocated: $135,000");
  await view.locator("#budget-selector").selectOption({ label: "$500,000" });
  await app.shows("Marketing 60.0% $300K");
  const before = await view.locator("#sliders-container").textContent();
  await view.locator("#stage-selector").selectOption({ label: "Growth" });
  await expect.poll(() => view.locator("#sliders-container").textContent(), longTimeout).not.toBe(before);
  await app.close();
});

it("T07 and I01: cohort-heatmap asks for its data, and again for another metric or period", async () => {
  const app = await OfficialApp.open(stage, "cohort-heatmap", { input: { metric: "retention" } });
  const { view } = app;
  await app.calls("get-cohort-data");
  await app.shows("Cohort Retention Analysis", /M0 M1 M2/, /100 \d\d \d\d/);
  await app.isDrawn(100);
  await app.keepPicture();

  const cell = view.locator("[class*=_cell_]").nth(1);
  await cell.hover();
  await app.shows(/Retention:? [\d.]+%/);
  await cell.click();
  await expect.poll(() => view.locator("[class*=_highlighted_]").count(), longTimeout).toBeGreaterThan(0);
  // Every answer has different numbers, so a new one is visible.
  for (const [index, value] of ["revenue", "weekly"].entries()) {
    const before = await view.locator("[class*=_heatmapGrid_]").textContent();
    await view.locator("select").nth(index).selectOption(value);
    await app.calls("get-cohort-data", index + 2);
    await expect
      .poll(() => view.locator("[class*=_heatmapGrid_]").textContent(), longTimeout)
      .not.toBe(before);
  }
  await app.close();
});

it("T07 and I01: customer-segmentation calls before it is initialized, and is served", async () => {
  const app = await OfficialApp.open(stage, "customer-segmentation", { input: { segment: "All" } });
  const { view } = app;
  await app.calls("get-customer-data");
  await app.shows(
    "Customer Segmentation",
    /Enterprise \(\d+\) Mid-Market \(\d+\) SMB \(\d+\) Startup \(\d+\)/,
  );
  await app.isDrawn(100);
  await app.keepPicture();

  const chart = "#scatter-chart";
  for (const [list, value] of [
    ["x-axis", "employeeCount"],
    ["y-axis", "nps"],
    ["size-metric", "annualRevenue"],
  ] as const) {
    await app.redraws(chart, () => view.locator(`#${list}`).selectOption(value));
  }
  await app.redraws(chart, () => view.locator("#legend").getByText("SMB").click());
  await app.close();
});

it("T07: scenario-modeler shows the result's templates, and its sliders move the projection", async () => {
  const app = await OfficialApp.open(stage, "scenario-modeler");
  const { view } = app;
  await app.shows("SaaS Scenario Modeler", "🚀 VC Rocketship", "Starting MRR $50K", "$63.4K End MRR");
  await app.isDrawn(100);
  await app.keepPicture();

  await app.redraws("canvas", () => view.locator("input[type=range]").first().fill("200000"));
  await app.shows("Starting MRR $200K");
  await expect.poll(() => app.text()).not.toContain("$63.4K End MRR");
  const compare = view.locator(".template-select");
  await app.redraws("canvas", () => compare.selectOption({ label: "🐄 Cash Cow" }));
  await view.getByRole("button", { name: "Load" }).click();
  await expect.poll(() => app.text()).not.toContain("Starting MRR $200K");
  await app.shows(/Gross Margin \d+%/);
  await view.getByRole("button", { name: "Reset" }).click();
  await app.shows("Starting MRR $50K", "$63.4K End MRR");
  await app.close();
});

it("T07 and S04: sheet-music draws the tune, and fetches its sounds from where it declared", async () => {
  const app = await OfficialApp.open(stage, "sheet-music", {
    input: {
      abcNotation: "X:1\nT:A Scale for Vitrine\nM:4/4\nL:1/4\nK:C\nC D E F | G A B c | c B A G | F E D C |",
    },
  });
  const { view, page } = app;
  await app.shows("A Scale for Vitrine");
  await expect.poll(() => view.locator("svg .abcjs-note").count(), longTimeout).toBe(16);
  await app.isDrawn();
  await app.keepPicture();

  const loop = view.locator(".abcjs-midi-loop");
  await loop.click();
  await expect.poll(() => loop.getAttribute("class"), longTimeout).toContain("abcjs-pushed");
  const sounds = page.waitForRequest((request) => request.url().startsWith("https://paulrosen.github.io/"));
  await view.locator(".abcjs-midi-start").click();
  await sounds;
  // Without the internet there are none; nothing else is wrong.
  await app.hears("report", { code: "script-error", message: expect.stringContaining("Can't load sound") });
  await app.close({ code: "script-error" });
});

it("T07: shadertoy draws its shader, and follows the mouse and the screen", async () => {
  const app = await OfficialApp.open(stage, "shadertoy", {
    input: {
      fragmentShader: `void mainImage(out vec4 colour, in vec2 place) {
        vec2 uv = place / iResolution.xy;
        float ring = step(0.5, fract(distance(place, iResolution.xy * 0.5) * 0.02));
        colour = vec4(uv, iMouse.z > 0.0 ? 1.0 : 0.3 + 0.5 * ring, 1.0);
      }`,
    },
  });
  const { view, page } = app;
  await app.isDrawn(5000);
  await app.keepPicture();

  const before = await app.picture();
  await view.locator("#canvas").hover();
  await page.mouse.down();
  // Mostly blue as long as the button is down.
  await expect
    .poll(async () => {
      const all = colours(await app.picture());
      return all.filter(([colour]) => (colour & 255) === 255).length / all.length;
    }, longTimeout)
    .toBeGreaterThan(0.8);
  await page.mouse.up();
  await app.changes(before);
  await view.locator("#fullscreen-btn").click();
  const box = app.element.locator("[part=box]");
  await expect.poll(() => box.getAttribute("data-mode"), longTimeout).toBe("fullscreen");
  await view.locator("#fullscreen-btn").click();
  await expect.poll(() => box.getAttribute("data-mode"), longTimeout).toBe("inline");
  await app.close();
});

const SCENE = `const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(60, width / height, 0.1, 100);
const renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
renderer.setSize(width, height);
renderer.setClearColor(0x10243e, 1);
const knot = new THREE.Mesh(new THREE.TorusKnotGeometry(1, 0.3, 96, 16), new THREE.MeshStandardMaterial({ color: 0xffa040 }));
scene.add(knot, new THREE.AmbientLight(0x606060));
const light = new THREE.DirectionalLight(0xffffff, 2);
light.position.set(2, 3, 4);
scene.add(light);
camera.position.z = 4;
const animate = () => {
  requestAnimationFrame(animate);
  knot.rotation.y += 0.02;
  renderer.render(scene, camera);
};
animate();`;
const EVAL = { code: "csp-violation", directive: "script-src", blocked: "eval" };

describe("threejs", () => {
  let server: OfficialServer;
  beforeAll(async () => {
    server = await startOfficialServer("threejs");
  });
  afterAll(() => server?.close());

  it("T07: threejs renders and moves where the operator allowed eval", async () => {
    const app = await OfficialApp.open(stage, "threejs", {
      server,
      input: { code: SCENE },
      relax: ["unsafe-eval"],
    });
    await app.isDrawn(200);
    await app.keepPicture();
    // The model's own scene: its background covers nearly everything.
    expect(colours(await app.picture()).map(([colour]) => colour)).toContain(0x10243e);
    await app.changes(await app.picture());
    expect(await app.heard("report")).toMatchObject([{ code: "loaded" }, { code: "painted" }]);
    await app.close();
  });

  it("S05: threejs explains the missing scene if eval is not allowed", async () => {
    const app = await OfficialApp.open(stage, "threejs", { server, input: { code: SCENE } });
    await app.shows(/Error: .*Content Security Policy.*unsafe-eval/);
    await app.hears("report", EVAL);
    await app.isDrawn();
    await app.close();
  });
});

describe("pdf", () => {
  let folder: string;
  /** A document of two pages. */
  let url: string;
  let server: OfficialServer;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "vitrine-pdf-"));
    url = join(folder, "two-pages.pdf");
    await writeFile(url, writePdf(["The first page", "The second page"]));
    server = await startOfficialServer("pdf", url);
  });
  afterAll(async () => {
    await server?.close();
    await rm(folder, { recursive: true });
  });

  it("T07, I01, I06, I07 and I10: pdf turns pages, searches, zooms, downloads, and follows the model's commands", async () => {
    const app = await OfficialApp.open(stage, "pdf", {
      server,
      input: { url },
      // The viewer's worker is a `data:` module, which it imports into a worker from `blob:`.
      relax: ["blob-workers", "data-scripts"],
    });
    const { view } = app;
    await app.calls("read_pdf_bytes");
    await app.shows("of 2", "The first page");
    await app.isDrawn();
    await app.keepPicture();
    const told = (text: string) =>
      expect
        .poll(async () => JSON.stringify((await app.heard("model-context")).at(-1)), longTimeout)
        .toContain(text);
    await told("Current Page: 1/2");

    await app.redraws("#pdf-canvas", () => view.locator("#next-btn").click());
    await app.shows("The second page");
    await told("Current Page: 2/2");
    await view.locator("#prev-btn").click();
    await app.shows("The first page");
    const level = await view.locator("#zoom-level").textContent();
    await view.locator("#zoom-in-btn").click();
    await expect.poll(() => view.locator("#zoom-level").textContent(), longTimeout).not.toBe(level);
    await view.locator("#search-btn").click();
    await view.locator("#search-input").fill("second");
    await expect.poll(() => view.locator("#search-match-count").textContent(), longTimeout).toContain("1");
    await app.shows("The second page");

    // The model's call goes to the server, which passes it to the view when the view polls.
    const { viewUUID } = app.result.structuredContent as { viewUUID: string };
    await app.server.call({ viewUUID, action: "navigate", page: 1 }, "interact");
    await app.shows("The first page");

    await view.locator("#download-btn").click();
    await expect.poll(() => app.heard("download"), longTimeout).toHaveLength(1);
    await view.locator("#fullscreen-btn").click();
    const box = app.element.locator("[part=box]");
    await expect.poll(() => box.getAttribute("data-mode"), longTimeout).toBe("fullscreen");
    await app.close();
  });

  it("S05: pdf explains the missing page if nothing was relaxed", async () => {
    const app = await OfficialApp.open(stage, "pdf", { server, input: { url } });
    await app.shows("Setting up fake worker failed");
    await app.hears("report", { code: "csp-violation", directive: "worker-src", blocked: "blob" });
    await app.isDrawn();
    await app.close(
      { code: "csp-violation", directive: "worker-src", blocked: "blob" },
      { code: "csp-violation", directive: "script-src-elem", blocked: "data" },
    );
  });
});
