/**
 * `vitrine new`: the files that it writes, the arguments that it refuses, and no leftovers. The projects
 * themselves run in new.browser.test.ts.
 */
import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { discover } from "@vitrine/server/discovery";
import { TEMPLATES } from "@vitrine/server/templates";
import { afterAll, describe, expect, it } from "vitest";
import { addTool, addUi } from "../new/folder-project.js";
import { makeProject } from "../new/new-project.js";
import { addOwnPackages, checkoutOf } from "../new/own-packages.js";
import { PROJECT_TEMPLATES } from "../new/project-templates.js";
import type { Files } from "../new/template-files.js";
import { writeFolder } from "../new/write-folder.js";

const at = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const MAIN = at("packages/cli/dist/main.js");

const folder = mkdtempSync(join(tmpdir(), "vitrine-new-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Creates an empty folder. */
const place = (): string => mkdtempSync(join(folder, "place-"));
/** All files in a folder, by path. */
const filesIn = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .sort();
const read = (...path: string[]): string => readFileSync(join(...path), "utf8");
const json = (...path: string[]) => JSON.parse(read(...path));

/** Runs the command as installed. */
async function run(cwd: string, words: readonly string[], user?: number) {
  const child = spawn(process.execPath, [MAIN, "new", ...words], {
    env: { PATH: process.env["PATH"], HOME: folder },
    cwd,
    ...(user !== undefined && { uid: user, gid: user }),
  });
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, out, err };
}

describe.each([...PROJECT_TEMPLATES.keys()])("a project of the template %s", (template) => {
  it("contains its name, and tested versions", async () => {
    const here = place();
    const { folder: made, files } = await makeProject(here, "shop", template);
    expect(readdirSync(here)).toEqual(["shop"]);
    expect(filesIn(made)).toEqual(files);
    expect(files).toEqual(
      expect.arrayContaining([".gitignore", "README.md", "package.json", "tsconfig.json"]),
    );
    const written = files.filter((file) => !file.startsWith("vendor/"));
    for (const file of written) expect(read(made, file), file).not.toContain("my-app");
    const {
      name,
      private: isPrivate,
      type,
      scripts,
      dependencies,
      devDependencies,
    } = json(made, "package.json");
    expect({ name, isPrivate, type }).toEqual({ name: "shop", isPrivate: true, type: "module" });
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(["start", "test", "check"]));
    // Users install the same versions that the tests here use.
    const ours = json(at("package.json")).devDependencies;
    const others = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([each]) => !/vitrine/.test(each),
    );
    expect(Object.fromEntries(others)).toEqual(
      Object.fromEntries(others.map(([each]) => [each, ours[each]])),
    );
  });
});

describe("the packages of Vitrine", () => {
  const project = (): Files =>
    new Map([
      [
        "package.json",
        '{"dependencies":{"@vitrine/server":"*","zod":"^4"},"devDependencies":{"vitrine":"*"}}',
      ],
      ["README.md", "# shop\n"],
    ]);
  const { version } = json(at("packages/cli/package.json"));

  it("are packed into the project with the packages they need, where the command runs from a checkout", async () => {
    expect(checkoutOf()).toBe(at("packages"));
    const files = project();
    await addOwnPackages(files, checkoutOf());
    const { dependencies, devDependencies, overrides } = JSON.parse(String(files.get("package.json")));
    const direct = { ...dependencies, ...devDependencies };
    const vendored = [...files.keys()].filter((path) => path.startsWith("vendor/"));
    expect(direct).toEqual({
      "@vitrine/server": `file:./vendor/vitrine-server-${version}.tgz`,
      zod: "^4",
      vitrine: `file:./vendor/vitrine-${version}.tgz`,
    });
    const { zod: _, ...ours } = { ...direct, ...overrides };
    expect(Object.values(ours).sort()).toEqual(vendored.map((path) => `file:./${path}`).sort());
    // Every dependency of the packages is there, and nothing else.
    expect(Object.keys(overrides)).toEqual(
      expect.arrayContaining(["@vitrine/gateway", "@vitrine/protocol", "@vitrine/workbench"]),
    );
    expect(Object.keys(overrides)).not.toContain("@vitrine/host");
    for (const [name, range] of Object.entries(ours))
      expect(String(files.get("pnpm-workspace.yaml"))).toContain(`  "${name}": "${range}"\n`);
    expect(String(files.get("README.md"))).toMatch(/^# shop\n\n## Vitrine's packages are in `vendor`\n/);
    for (const [path, content] of files) expect(String(content), path).not.toContain("file:/");
  });

  it("are of the command's own version, where it is installed", async () => {
    const installed = join(place(), "node_modules", "repository", "packages");
    mkdirSync(join(installed, "server"), { recursive: true });
    writeFileSync(join(installed, "server", "package.json"), '{"name":"@vitrine/server"}');
    expect(checkoutOf(join(installed, "cli"))).toBeUndefined();
    expect(checkoutOf(join(folder, "elsewhere", "vitrine"))).toBeUndefined();
    const files = project();
    await addOwnPackages(files, undefined);
    expect([...files.keys()]).toEqual(["package.json", "README.md"]);
    expect(JSON.parse(String(files.get("package.json")))).toEqual({
      dependencies: { "@vitrine/server": `^${version}`, zod: "^4" },
      devDependencies: { vitrine: `^${version}` },
    });
  });

  it("that cannot be packed are an error that says how to find out why", async () => {
    const repository = place();
    mkdirSync(join(repository, "packages", "server"), { recursive: true });
    await expect(addOwnPackages(project(), join(repository, "packages"))).rejects.toMatchObject({
      code: "pack-failed",
      exit: 1,
      message: expect.stringContaining("npm pack --workspaces --dry-run"),
    });
  });
});

describe("a project is refused", () => {
  it.each([
    ["My App", "my-app would do"],
    ["Shop", "shop would do"],
    ["_shop", "shop would do"],
    [".shop", "shop would do"],
    ["", "npm requires lower-case letters"],
    ["é", "npm requires lower-case letters"],
    ["a".repeat(215), "at most 214"],
    ["../shop", "give only the name"],
    ["a\\b", "give only the name"],
    ["@me/shop", "give only the name"],
    ["node_modules", "choose another"],
    ["stream", "choose another"],
  ])("with the name %j", async (name, hint) => {
    const here = place();
    await expect(makeProject(here, name)).rejects.toMatchObject({
      code: "usage",
      exit: 2,
      message: expect.stringContaining(hint),
    });
    expect(readdirSync(here)).toEqual([]);
  });

  it("with an unknown template, and suggests the closest", async () => {
    await expect(makeProject(place(), "shop", "raect")).rejects.toMatchObject({
      code: "usage",
      exit: 2,
      message:
        'there is no template "raect": use one of html, react, vue, svelte, json-template, discovery; did you mean "react"?',
    });
  });

  it("if the target is occupied, which stays as it is; an empty folder is used", async () => {
    const here = place();
    mkdirSync(join(here, "full"));
    writeFileSync(join(here, "full", "kept.txt"), "kept");
    writeFileSync(join(here, "file"), "kept");
    symlinkSync(join(here, "nowhere"), join(here, "link"));
    mkdirSync(join(here, "empty"));
    for (const name of ["full", "file", "link"]) {
      await expect(makeProject(here, name)).rejects.toMatchObject({
        code: "exists",
        exit: 1,
        message: expect.stringContaining(`${join(here, name)} already exists`),
      });
    }
    await makeProject(here, "empty");
    expect(readdirSync(here).sort()).toEqual(["empty", "file", "full", "link"]);
    expect(filesIn(join(here, "full"))).toEqual(["kept.txt"]);
    expect(read(here, "file")).toBe("kept");
    expect(existsSync(join(here, "empty", "app.js"))).toBe(true);
  });

  it("without write permission, in one message", async () => {
    const here = place();
    chmodSync(here, 0o555);
    // Root may write everywhere.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chmodSync(folder, 0o755);
    const { code, out } = await run(here, ["shop", "--json"], isRoot ? 65_534 : undefined);
    chmodSync(here, 0o755);
    expect({ code, out: JSON.parse(out) }).toEqual({
      code: 1,
      out: {
        error: {
          code: "system",
          message: `${join(here, "shop")} cannot be written: you have no permission to write there; use one of your own folders`,
        },
      },
    });
    expect(readdirSync(here)).toEqual([]);
  });

  it("if it cannot be written completely, and nothing is left", async () => {
    const here = place();
    const files = new Map([
      ["app.js", "1"],
      ["app.js/inside", "2"],
    ]);
    await expect(writeFolder(join(here, "ui", "shop"), files, here)).rejects.toThrow();
    expect(readdirSync(here)).toEqual([]);
  });
});

describe("in a project of folders", () => {
  /** A project with its tools' imports. */
  async function project(): Promise<string> {
    const { folder: made } = await makeProject(place(), "shop", "discovery");
    symlinkSync(at("node_modules"), join(made, "node_modules"));
    return made;
  }
  const offered = async (root: string) => {
    const { server, problems } = await discover({ root, name: "shop", version: "1.0.0" });
    expect(problems).toEqual([]);
    return { tools: new Map(server.options.tools?.map((each) => [each.name, each.view?.uri])), server };
  };

  it("every template has a starter tool and view, which the server offers", async () => {
    const root = await project();
    const templates = Object.keys(TEMPLATES).sort();
    for (const template of templates) {
      await addTool(root, `the-${template}`, template);
      await addUi(root, `alone-${template}`, { template });
      const [tool, alone] = [`tools/the-${template}/ui`, `ui/alone-${template}`].map((path) =>
        json(root, path, "ui.meta.json"),
      );
      expect(tool).toMatchObject({ template, name: expect.stringMatching(/^The /) });
      for (const [path, { $schema }] of [
        [`tools/the-${template}/ui`, tool] as const,
        [`ui/alone-${template}`, alone] as const,
      ])
        expect(existsSync(join(root, path, $schema)), `${path}: ${$schema}`).toBe(true);
    }
    const { tools, server } = await offered(root);
    for (const template of templates) {
      expect(tools.get(`the-${template}`)).toBe(`ui://shop/the-${template}`);
      expect(server.views.has(`alone-${template}`)).toBe(true);
    }
    const starters = readdirSync(at("packages/cli/templates/tools")).filter((each) => each !== "page");
    expect(starters.sort()).toEqual(templates);
  });

  it("a tool comes alone or with a page; an existing one gets a page or a template later", async () => {
    const root = await project();
    await addTool(root, "plain", undefined);
    await addTool(root, "Paged.2", true);
    expect((await offered(root)).tools.get("plain")).toBeUndefined();
    expect(await addUi(root, 'All "plain" <b>', { tool: "plain" })).toEqual({
      folder: "tools/plain/ui",
      files: ["index.html", "view.css", "view.js", "vitrine.js"],
    });
    await addTool(root, "later", false);
    await addUi(root, 'A "quoted" name', { tool: "later", template: "detail" });
    await addUi(root, "help", {});
    expect(read(root, "tools/plain/ui/index.html")).toContain('<title>All "plain" &lt;b></title>');
    expect(json(root, "tools/later/ui/ui.meta.json").name).toBe('A "quoted" name');
    const { tools, server } = await offered(root);
    expect(Object.fromEntries(tools)).toMatchObject({
      plain: "ui://shop/plain",
      "Paged.2": "ui://shop/Paged.2",
      later: "ui://shop/later",
    });
    expect(server.views.has("help")).toBe(true);
  });

  it("nothing is overwritten, and mistakes are reported", async () => {
    const root = await project();
    const before = filesIn(root);
    const [exists, usage] = [
      { code: "exists", exit: 1 },
      { code: "usage", exit: 2 },
    ];
    await expect(addTool(root, "greet", true)).rejects.toMatchObject(exists);
    await expect(addUi(root, undefined, { tool: "greet" })).rejects.toMatchObject(exists);
    await expect(addTool(root, "../greet", true)).rejects.toMatchObject(usage);
    await expect(addUi(root, "a/b", {})).rejects.toMatchObject(usage);
    await expect(addUi(root, undefined, {})).rejects.toMatchObject(usage);
    await expect(addTool(root, "prices", "data-tabel")).rejects.toMatchObject({
      ...usage,
      message: expect.stringContaining('did you mean "data-table"?'),
    });
    await expect(addUi(root, "prices", { template: "page.html" })).rejects.toMatchObject(usage);
    await expect(addUi(root, undefined, { tool: "prices" })).rejects.toMatchObject({
      code: "tool-unknown",
      message: expect.stringContaining("vitrine new tool prices --ui"),
    });
    expect(filesIn(root)).toEqual(before);
  });

  it("elsewhere they are refused", async () => {
    const { folder: made, files } = await makeProject(place(), "shop", "html");
    for (const add of [() => addTool(made, "prices", true), () => addUi(made, "help", {})]) {
      await expect(add()).rejects.toMatchObject({
        code: "project-missing",
        exit: 1,
        message: expect.stringContaining("vitrine new my-app --template discovery"),
      });
    }
    expect(filesIn(made)).toEqual(files);
  });
});

describe("the command", () => {
  it("says what to do next, and which other templates there are", async () => {
    const here = place();
    const { code, out, err } = await run(here, ["shop"]);
    expect(code).toBe(0);
    expect(out).toContain("  cd shop\n  npm install\n  npm start\n");
    expect(err).toContain("--template react, vue, svelte, json-template, discovery");
    expect(read(here, "shop/app.js")).toContain('name: "shop"');
  });

  it.each([[], ["tool"], ["ui"]])("has help with examples: new %s", async (...words) => {
    const { code, out, err } = await run(folder, [...words, "--help"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain(`Usage: ${["vitrine", "new", ...words].join(" ")} [options]`);
    expect(out).toContain(`Examples:\n  $ ${["vitrine", "new", ...words].join(" ")} `);
    expect(out).toContain("--json");
  });

  it("adds to a project with the same arguments that create one, and prints JSON on request", async () => {
    const here = place();
    const made = await run(here, ["shop", "--template", "discovery", "--json"]);
    expect(JSON.parse(made.out)).toMatchObject({ folder: join(here, "shop"), template: "discovery" });
    const root = join(here, "shop");
    const [tool, ui] = [
      await run(root, ["tool", "prices", "--ui", "kanban", "--json"]),
      await run(root, ["ui", "board", "--template", "kanban"]),
    ];
    expect(JSON.parse(tool.out)).toEqual({ folder: "tools/prices", files: ["tool.json", "ui/ui.meta.json"] });
    expect(ui).toEqual({ code: 0, out: "ui/board/ui.meta.json\n", err: "" });
    expect(json(root, "ui/board/ui.meta.json").template).toBe("kanban");
  });

  it.each([
    [["shop", "--template", "raect"], 2, 'did you mean "react"?'],
    [["tool"], 2, "missing required argument 'name'"],
    [["tool", "x", "--jsn"], 2, "Did you mean --json?"],
    [["tool", "x"], 1, "is not a project made of folders"],
    [["tool", "x", "--template", "form"], 2, "use --ui form"],
  ])("ends with one line when %j is wrong", async (words, code, sentence) => {
    const { err, ...rest } = await run(place(), words);
    expect(rest).toEqual({ code, out: "" });
    expect(err).toContain(sentence);
    expect(err.trim()).not.toContain("\n");
  });
});
