import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { sourceFolder } from "./server-files.js";
import { type FileWatch, watchFiles } from "./watch-files.js";

const root = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-watch-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));
for (const folder of ["src/deep", "node_modules/x", ".git"])
  mkdirSync(join(root, folder), { recursive: true });

let watch: FileWatch | undefined;
afterEach(() => watch?.close());

const touch = (path: string): void => writeFileSync(join(root, path), `${Math.random()}`);

describe("watchFiles", () => {
  it("hears of sources at any depth and in new folders, and of nothing else", async () => {
    const heard: string[] = [];
    watch = await watchFiles(root, (file) => heard.push(file));
    for (const path of ["node_modules/x/a.js", ".git/a.js", "src/data.json", "src/log.txt", ".hidden.js"])
      touch(path);
    touch("src/deep/a.js");
    // Nothing but the last of these is heard: it is told once, after a moment of quiet.
    await expect.poll(() => heard).toEqual([join(root, "src/deep/a.js")]);
    mkdirSync(join(root, "src/new"));
    touch("src/new/view.html");
    await expect.poll(() => heard.at(-1)).toBe(join(root, "src/new/view.html"));
    const count = heard.length;
    watch.close();
    touch("src/deep/a.js");
    watch = await watchFiles(root, () => {});
    expect(heard).toHaveLength(count);
  });
});

describe("sourceFolder", () => {
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
        isolation: { ...isolation, ...limits },
      },
    };
  };

  it("is the script's, or the one that the server starts in; none for what is installed", async () => {
    touch("src/deep/a.js");
    touch("node_modules/x/a.js");
    const here = root;
    expect(await sourceFolder(stdio("node", ["--inspect", "src/deep/a.js"], root), here)).toBe(
      join(root, "src/deep"),
    );
    expect(await sourceFolder(stdio("node", ["deep/a.js"], join(root, "src")), here)).toBe(join(root, "src"));
    expect(await sourceFolder(stdio(process.execPath, [join(root, "src/deep/a.js")]), here)).toBe(
      join(root, "src/deep"),
    );
    expect(await sourceFolder(stdio("node", ["node_modules/x/a.js"], root), here)).toBeUndefined();
    expect(await sourceFolder(stdio("npx", ["-y", "@scope/server"], root), here)).toBeUndefined();
    expect(await sourceFolder(stdio(process.execPath, []), here)).toBeUndefined();
  });
});
