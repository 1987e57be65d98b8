/** Same as new.browser.test.ts, but with pnpm, whose `node_modules` hides every undeclared package. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PNPM, Stranger } from "../../../../testing/registry/stranger.ts";
import { PROJECT_TEMPLATES } from "../new/project-templates.js";
import type { RenderResult } from "../render/render-result.js";
import { VERSION } from "../version.js";

/**
 * The command is the same for all projects, so only two are rendered: one without a build, and one with. The
 * npm test renders all.
 */
const RENDERED = ["html", "react"];

let stranger: Stranger;
beforeAll(async () => {
  stranger = await Stranger.arrive();
});
afterAll(() => stranger?.leave());

it("pnpm dlx vitrine --version", async () => {
  expect(await stranger.run(stranger.place("empty"), `${PNPM} dlx vitrine --version`)).toBe(`${VERSION}\n`);
});

it.each([...PROJECT_TEMPLATES.keys()])(
  "the project %s is created, installs, type-checks, builds, passes its test, and renders",
  async (template) => {
    const place = stranger.place(template);
    await stranger.run(place, `${PNPM} dlx vitrine new shop --template ${template}`);
    const project = join(place, "shop");
    const { scripts } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
    // A built view is built for its test.
    expect(scripts.test).toContain(scripts.build ?? "node --test");
    await stranger.run(project, `${PNPM} install`);
    await stranger.run(project, `${PNPM} run check`);
    await stranger.run(project, `${PNPM} test`);
    if (!RENDERED.includes(template)) return;
    const line = `${PNPM} exec vitrine render . --tool greet --args '{"name": "Ada"}' --json`;
    const result: RenderResult = JSON.parse(await stranger.run(project, line));
    expect(result).toMatchObject({ ok: true, console: [], csp: { violations: [] } });
    expect(result.text).toContain("Hello, Ada!");
  },
);
