import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { watchSettingsExample } from "./config.examples.js";
import type { GatewaySettings } from "./config.js";
import { type SettingsWatch, watchSettings } from "./watch.js";

let folder = "";
let file = "";
let watch: SettingsWatch | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-watch-"));
  file = join(folder, "settings.json");
});
afterEach(async () => {
  watch?.close();
  await rm(folder, { recursive: true, force: true });
});

const text = (...names: string[]) =>
  JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: "x" }])) });
const namesOf = (settings: GatewaySettings | undefined) => [...(settings?.servers.keys() ?? [])];

/**
 * Atomically: a file that is written in place may be read while incomplete, which is reported until it is
 * complete.
 */
async function put(content: string): Promise<void> {
  await writeFile(`${file}.draft`, content);
  await rename(`${file}.draft`, file);
}

async function start(...names: string[]) {
  await writeFile(file, text(...names));
  const changes: string[][] = [];
  const errors: string[] = [];
  watch = await watchSettings(file, (settings) => void changes.push(namesOf(settings)), {
    onerror: (error) => errors.push(error.message),
    interval: 20,
    env: { HOME: folder },
  });
  return { watch, changes, errors };
}

describe("watchSettings", () => {
  it("reports a change", async () => {
    const { watch, changes } = await start("one");
    expect(namesOf(watch.current)).toEqual(["one"]);
    await writeFile(file, text("one", "two"));
    await expect.poll(() => changes).toEqual([["one", "two"]]);
    expect(namesOf(watch.current)).toEqual(["one", "two"]);
  });

  it("reports a replaced file, as written by editors", async () => {
    const { changes } = await start("one");
    for (const name of ["two", "three"]) {
      await put(text(name));
      await expect.poll(() => changes.at(-1)).toEqual([name]);
    }
    expect(changes).toEqual([["two"], ["three"]]);
  });

  it("keeps the old settings if the file becomes invalid, and says why and how to fix it", async () => {
    const { watch, changes, errors } = await start("one");
    await put('{"mcpServers": {"one": {"command": "x", "isolaton": "process"}');
    await expect.poll(() => errors).toHaveLength(1);
    expect(errors[0]).toMatch(/^\S+:1:63: [\s\S]*stay in force/);
    await put('{"mcpServers": {"one": {"command": "x", "isolaton": "process"}}}');
    await expect.poll(() => errors).toHaveLength(2);
    expect(errors[1]).toMatch(/mcpServers\.one\.isolaton: unknown setting; did you mean "isolation"\?/);
    expect(namesOf(watch.current)).toEqual(["one"]);
    expect(changes).toEqual([]);
    await put(text("two"));
    await expect.poll(() => changes).toEqual([["two"]]);
  });

  it("a removed file changes nothing until it is back", async () => {
    const { watch, changes, errors } = await start("one");
    await rm(file);
    await expect.poll(() => errors).toHaveLength(1);
    expect(errors[0]).toMatch(/the file does not exist[\s\S]*stay in force/);
    expect(namesOf(watch.current)).toEqual(["one"]);
    await put(text("two"));
    await expect.poll(() => changes).toEqual([["two"]]);
    // However often it was checked.
    expect(errors).toHaveLength(1);
  });

  it("a folder that is removed and restored needs no special handling", async () => {
    const { changes, errors } = await start("one");
    await rm(folder, { recursive: true });
    await expect.poll(() => errors).toHaveLength(1);
    await mkdir(folder);
    await put(text("two"));
    await expect.poll(() => changes).toEqual([["two"]]);
  });

  it("reports a link that points elsewhere", async () => {
    const [one, two] = [join(folder, "one.json"), join(folder, "two.json")];
    await writeFile(one, text("one"));
    await writeFile(two, text("two"));
    await symlink(one, file);
    const onchange = vi.fn();
    watch = await watchSettings(file, onchange, { onerror: onchange, interval: 20, env: { HOME: folder } });
    await symlink(two, join(folder, "draft"));
    await rename(join(folder, "draft"), file);
    await expect.poll(() => namesOf(watch?.current)).toEqual(["two"]);
    expect(onchange).toHaveBeenCalledOnce();
  });

  it("applies the last of many quick writes", async () => {
    const { watch, changes } = await start("one");
    for (let count = 0; count <= 100; count++) await writeFile(file, text(`name-${count}`));
    await expect.poll(() => namesOf(watch.current)).toEqual(["name-100"]);
    expect(changes.at(-1)).toEqual(["name-100"]);
  });

  it("applies slow changes in order, one at a time", async () => {
    await put(text("one"));
    const log: string[] = [];
    let go = () => {};
    const onchange = async (settings: GatewaySettings) => {
      log.push(`begin ${namesOf(settings)}`);
      await new Promise<void>((resolve) => (go = resolve));
      log.push(`end ${namesOf(settings)}`);
    };
    const onerror = (error: Error) => log.push(error.message);
    watch = await watchSettings(file, onchange, { onerror, interval: 20, env: { HOME: folder } });
    await put(text("two"));
    await expect.poll(() => log).toEqual(["begin two"]);
    await put(text("three"));
    go();
    await expect.poll(() => log).toEqual(["begin two", "end two", "begin three"]);
    go();
  });

  it("reports a change that cannot be applied", async () => {
    await put(text("one"));
    const onerror = vi.fn();
    const onchange = () => Promise.reject(new Error("no room"));
    watch = await watchSettings(file, onchange, { onerror, interval: 20, env: { HOME: folder } });
    await put(text("two"));
    await expect.poll(() => onerror.mock.calls[0]?.[0].message).toMatch("no room");
  });

  it("fails if the file is invalid at the start, and watches nothing", async () => {
    const onerror = vi.fn();
    await expect(watchSettings(file, () => {}, { onerror })).rejects.toThrow("the file does not exist");
    await put("");
    await expect(watchSettings(file, () => {}, { onerror })).rejects.toThrow("the text is empty");
    expect(onerror).not.toHaveBeenCalled();
  });

  it("reports nothing after it was closed", async () => {
    const { watch, changes, errors } = await start("one");
    const second = await watchSettingsExample(
      file,
      async () => {},
      () => {},
    );
    watch.close();
    await put(text("two"));
    await expect.poll(() => namesOf(second.current)).toEqual(["two"]);
    second.close();
    expect([changes, errors]).toEqual([[], []]);
  });
});
