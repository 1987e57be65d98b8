/** A project that a checkout created works where there is no checkout, and no Vitrine package on the registry. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PNPM, Stranger } from "../../../../testing/registry/stranger.ts";
import { VERSION } from "../version.js";
import { makeProject } from "./new-project.js";

let stranger: Stranger;
const strangers: Stranger[] = [];
const arrive = async (isPublished: boolean): Promise<Stranger> => {
  const arrived = await Stranger.arrive(isPublished, stranger);
  strangers.push(arrived);
  return arrived;
};
afterAll(() => Promise.all(strangers.map((each) => each.leave())));

let written: string;
beforeAll(async () => {
  stranger = await arrive(false);
  const { folder } = await makeProject(stranger.place("written"), "shop", "json-template");
  written = folder;
});

/** The project, copied to another folder. */
function copied(): string {
  const folder = join(stranger.place("copied"), "moved");
  cpSync(written, folder, { recursive: true });
  return folder;
}

it("the registry of this test has no package of Vitrine", async () => {
  for (const name of ["vitrine", "@vitrine/server"])
    expect((await stranger.try(stranger.folder, `npm view ${name}`)).said).toContain("E404");
});

it.each([
  ["npm", "npm", "exec --"],
  ["pnpm", PNPM, "exec"],
])(
  "with %s it installs from its own folder, passes its test, and runs the command",
  async (_, manager, exec) => {
    const project = copied();
    await stranger.run(project, `${manager} install`);
    await stranger.run(project, `${manager} test`);
    expect(await stranger.run(project, `${manager} ${exec} vitrine --version`)).toBe(`${VERSION}\n`);
  },
);

it("uses the registry after the steps in its README", async () => {
  const later = await arrive(true);
  const project = copied();
  const readme = readFileSync(join(project, "README.md"), "utf8");
  expect(readme).toContain(`with \`^${VERSION}\`, and delete \`overrides\``);
  const path = join(project, "package.json");
  const { overrides, ...manifest } = JSON.parse(readFileSync(path, "utf8"));
  expect(Object.keys(overrides)).toContain("@vitrine/protocol");
  const text = JSON.stringify(manifest).replaceAll(/"file:\.\/vendor\/[^"]+"/g, `"^${VERSION}"`);
  writeFileSync(path, text);
  // The file contains only overrides, so it is removed.
  expect(readFileSync(join(project, "pnpm-workspace.yaml"), "utf8")).toMatch(/^overrides:\n( {2}.+\n)+$/);
  rmSync(join(project, "pnpm-workspace.yaml"));
  rmSync(join(project, "vendor"), { recursive: true });
  await later.run(project, `${PNPM} install`);
  expect(readdirSync(join(project, "node_modules/.pnpm")).join("\n")).toContain(
    `@vitrine+protocol@${VERSION}`,
  );
});
