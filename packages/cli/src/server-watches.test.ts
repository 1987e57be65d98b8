import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandLineServer } from "@vitrine/gateway";
import { afterAll, describe, expect, it } from "vitest";
import { isSource, sourceOf } from "./server-files.js";
import { ServerWatches } from "./server-watches.js";

const root = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-watch-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));
for (const folder of ["src/deep", "node_modules/x", ".git"])
  mkdirSync(join(root, folder), { recursive: true });

const touch = (path: string): void => writeFileSync(join(root, path), `${Math.random()}`);

describe("ServerWatches", () => {
  it("restart a server only if its script exists", async () => {
    const [gone, stays] = ["gone", "stays"].map((name) => join(root, "two", `${name}.js`));
    if (!gone || !stays) throw new Error("no paths");
    mkdirSync(join(root, "two"));
    for (const file of [gone, stays]) writeFileSync(file, "");
    const restarts: [string, boolean][] = [];
    const watches = new ServerWatches({
      gateway: { restart: async (name) => void restarts.push([name, existsSync(gone)]) },
      cwd: root,
      onrestart: () => {},
      onerror: (_name, error) => {
        throw error;
      },
    });
    // The one that stays comes last: when it is restarted, the other could have been too.
    await watches.update([gone, stays].map((file) => commandLineServer(["node", file])));
    rmSync(gone);
    await expect.poll(() => restarts).toEqual([["stays", false]]);
    writeFileSync(gone, "");
    await expect.poll(() => restarts.map(([name]) => name).sort()).toEqual(["gone", "stays", "stays"]);
    rmSync(join(root, "two"), { recursive: true });
    mkdirSync(join(root, "two"));
    for (const file of [gone, stays]) writeFileSync(file, "new");
    await expect.poll(() => restarts.filter(([name]) => name === "gone").length).toBeGreaterThan(1);
    expect(restarts.every(([name, isThere]) => name === "stays" || isThere)).toBe(true);
    watches.close();
  });
});

it.each([
  ["src/a.js", true],
  ["view.HTML", true],
  ["main.py", true],
  ["data.json", false],
  ["log.txt", false],
  ["src", false],
])("%s is a source file: %s", (file, isOne) => {
  expect(isSource(file)).toBe(isOne);
});

describe("sourceOf", () => {
  const stdio = (command: string, args: string[], cwd?: string) => {
    const isolation = { driver: "process", network: true, read: [], write: [] } as const;
    const limits = { memory: 1, processes: 1, tmp: 1 };
    return {
      transport: {
        type: "stdio" as const,
        command,
        args,
        env: {},
        cwd,
        folder: root,
        isolation: { ...isolation, ...limits },
      },
    };
  };

  it("is the script's, or the one that the server starts in; none for an installed program", async () => {
    touch("src/deep/a.js");
    touch("node_modules/x/a.js");
    const here = root;
    const script = join(root, "src/deep/a.js");
    const [deep, src] = [join(root, "src/deep"), join(root, "src")].map((folder) => ({ folder, script }));
    expect(await sourceOf(stdio("node", ["--inspect", "src/deep/a.js"], root), here)).toEqual(deep);
    expect(await sourceOf(stdio("node", ["deep/a.js"], join(root, "src")), here)).toEqual(src);
    expect(await sourceOf(stdio(process.execPath, [script]), here)).toEqual(deep);
    expect(await sourceOf(stdio("node", ["node_modules/x/a.js"], root), here)).toBeUndefined();
    expect(await sourceOf(stdio("npx", ["-y", "@scope/server"], root), here)).toBeUndefined();
    expect(await sourceOf(stdio(process.execPath, []), here)).toBeUndefined();
  });
});
