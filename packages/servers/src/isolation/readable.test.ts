import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Entry, isInside, isWide, programEntries } from "./readable.js";

describe("readable paths of a program", () => {
  let top = "";
  beforeEach(() => {
    top = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-readable-")));
  });
  afterEach(() => rmSync(top, { recursive: true, force: true }));

  const file = (path: string) => {
    const whole = join(top, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, "");
    chmodSync(whole, 0o755);
    return whole;
  };
  const read = (path: string): Entry => ({ kind: "read", path: join(top, path) });
  /** Without the system's own entries. */
  const entries = async (program: string, ...args: string[]) =>
    (await programEntries(program, args)).filter(({ path }) => isInside(path, top));

  it("none for a program of the system", async () => {
    await expect(entries("/usr/bin/env")).resolves.toEqual([]);
  });

  it("only the program, not its folder", async () => {
    const program = file("bin/server");
    await expect(entries(program)).resolves.toContainEqual(read("bin/server"));
    await expect(entries(program)).resolves.not.toContainEqual(read("bin"));
  });

  it("the whole installation of Node or of a Python environment", async () => {
    file("node/lib/node_modules/npm/package.json");
    await expect(entries(file("node/bin/npx"))).resolves.toContainEqual(read("node"));
    file("venv/pyvenv.cfg");
    await expect(entries(file("venv/bin/python"))).resolves.toContainEqual(read("venv"));
  });

  it("a link, and the package that it leads to", async () => {
    file("lib/tool/package.json");
    const target = file("lib/tool/cli.js");
    mkdirSync(join(top, "bin"));
    const link = join(top, "bin/tool");
    symlinkSync(target, link);
    const found = await entries(link);
    expect(found).toContainEqual(read("lib/tool"));
    expect(found).toContainEqual({ kind: "link", path: link, target });
  });

  it("the package of a script, and the modules of its parent folders", async () => {
    file("house/node_modules/dependency/index.js");
    file("house/other/secret.json");
    file("house/server/package.json");
    const found = await entries("/usr/bin/env", file("house/server/dist/index.js"));
    expect(
      found
        .filter(({ kind }) => kind === "read")
        .map(({ path }) => path)
        .sort(),
    ).toEqual([join(top, "house/node_modules"), join(top, "house/server")].sort());
  });

  it("none for arguments that are not programs", async () => {
    const data = file("house/data.json");
    await expect(entries("/usr/bin/env", data, join(top, "house"), join(top, "missing.js"))).resolves.toEqual(
      [],
    );
  });

  it("never a folder with more than one program", () => {
    for (const folder of ["/", "/etc", "/home", "/tmp", homedir(), dirname(homedir())])
      expect(isWide(folder)).toBe(true);
    expect(isWide(join(homedir(), "server"))).toBe(false);
    expect(isInside("/a/..b", "/a")).toBe(true);
    expect(isInside("/ab", "/a")).toBe(false);
  });
});
