import { chmod, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changeSettingsFileExample } from "./config.examples.js";
import { changeSettingsFile } from "./write-settings.js";

let folder = "";
let file = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-write-"));
  file = join(folder, "settings.json");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const change = (value: unknown) => [{ path: ["a"], value }];

describe("changeSettingsFile", () => {
  it("keeps the mode, and leaves no draft", async () => {
    await writeFile(file, '{ "b": 1 } // mine\n');
    await chmod(file, 0o640);
    expect(await changeSettingsFile(file, () => change(2))).toBe('{ "b": 1, "a": 2 } // mine\n');
    expect(await readFile(file, "utf8")).toBe('{ "b": 1, "a": 2 } // mine\n');
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect(await readdir(folder)).toEqual(["settings.json"]);
  });

  it("writes the target of a link, and keeps the link", async () => {
    const target = join(folder, "target.json");
    await writeFile(target, "{}");
    await symlink("target.json", file);
    await changeSettingsFile(file, () => change(1));
    expect(await readlink(file)).toBe("target.json");
    expect(await readFile(target, "utf8")).toBe('{\n  "a": 1\n}');
  });

  it("creates a missing file and its folder, for this user only", async () => {
    const missing = join(folder, "new", "mcp.json");
    await changeSettingsFile(missing, () => change(1));
    expect((await stat(missing)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(missing, "utf8"))).toEqual({ a: 1 });
    expect(await readdir(join(folder, "new"))).toEqual(["mcp.json"]);
  });

  it("decides again if another program wrote the file meanwhile", async () => {
    await writeFile(file, "{}");
    const seen: string[] = [];
    await changeSettingsFile(file, async (text) => {
      seen.push(text);
      if (seen.length === 1) await writeFile(file, '{ "theirs": true }');
      return change(seen.length);
    });
    expect(seen).toEqual(["{}", '{ "theirs": true }']);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ theirs: true, a: 2 });
  });

  it("decides again if another program created the file meanwhile", async () => {
    let count = 0;
    await changeSettingsFile(file, async () => {
      if (count++ === 0) await writeFile(file, '{ "theirs": true }');
      return change(1);
    });
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ theirs: true, a: 1 });
  });

  it("gives up if the file never stays as it was read", async () => {
    await writeFile(file, "{}");
    let count = 0;
    const work = changeSettingsFile(file, async () => {
      await writeFile(file, `{ "count": ${++count} }`);
      return change(1);
    });
    await expect(work).rejects.toMatchObject({ data: { code: "settings-unwritable" } });
    expect(await readdir(folder)).toEqual(["settings.json"]);
  });

  it("many changes at once are all kept", async () => {
    const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
    await Promise.all(keys.map((key) => changeSettingsFile(file, () => [{ path: [key], value: key }])));
    expect(Object.keys(JSON.parse(await readFile(file, "utf8")))).toEqual(keys);
  });

  it("an invalid file stays as it is, and one failure does not stop the next change", async () => {
    await writeFile(file, '{ "a": ');
    await expect(changeSettingsFile(file, () => change(1))).rejects.toMatchObject({
      data: { code: "config-invalid" },
      message: expect.stringMatching(/settings\.json: line 1, column 8/),
    });
    expect(await readFile(file, "utf8")).toBe('{ "a": ');
    await writeFile(file, "{}");
    await changeSettingsFileExample(file);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ mcpServers: { lab: { disabled: true } } });
  });

  it("a file that cannot be written is reported with its path", async () => {
    await writeFile(join(folder, "plain"), "");
    const work = changeSettingsFile(join(folder, "plain", "mcp.json"), () => change(1));
    await expect(work).rejects.toMatchObject({
      data: { code: "settings-unwritable" },
      message: expect.stringContaining(join(folder, "plain", "mcp.json")),
    });
  });
});
