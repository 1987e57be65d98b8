/** Changes of real files and folders, as editors and builds make them. */
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type PathWatch, type WatchPathsOptions, watchPaths } from "./watch-paths.js";

let root: string;
let watch: PathWatch | undefined;
let heard: string[];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-watch-")));
  heard = [];
});
afterEach(async () => {
  await watch?.close();
  rmSync(root, { recursive: true, force: true });
});

function write(path: string): string {
  const file = join(root, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, `${Math.random()}`);
  return file;
}

async function start(paths: string[], options: Partial<WatchPathsOptions> = {}): Promise<void> {
  const changed = (path: string): void => void heard.push(path);
  const absolute = paths.map((path) => join(root, path));
  watch = await watchPaths(absolute, { changed, ...options });
}

describe("a file", () => {
  it.each<[string, (file: string) => void]>([
    ["is written", () => write("settings.json")],
    ["is replaced by renaming, as editors save", (file) => renameSync(write("settings.json.tmp"), file)],
    [
      "is deleted and written again",
      (file) => {
        unlinkSync(file);
        write("settings.json");
      },
    ],
  ])("%s", async (_how, change) => {
    const file = write("settings.json");
    await start(["settings.json"]);
    for (let round = 0; round < 2; round++) {
      heard = [];
      change(file);
      await expect.poll(() => heard).toContain(file);
    }
  });

  it("appears later, in a folder that appears later", async () => {
    await start(["later/settings.json"]);
    const file = write("later/settings.json");
    await expect.poll(() => heard).toContain(file);
    heard = [];
    write("later/settings.json");
    await expect.poll(() => heard).toContain(file);
  });

  it("is a link whose target changes", async () => {
    write("target.json");
    symlinkSync(join(root, "target.json"), join(root, "link.json"));
    await start(["link.json"], { interval: 50 });
    write("target.json");
    await expect.poll(() => heard).toContain(join(root, "link.json"));
  });

  it("may be hidden; its neighbours do not count", async () => {
    await start([".settings.json"]);
    write("other.json");
    const file = write(".settings.json");
    await expect.poll(() => heard).toContain(file);
    expect(new Set(heard)).toEqual(new Set([file]));
  });
});

describe("a folder", () => {
  it("reports files at any depth and in new folders; not installed packages and hidden files", async () => {
    for (const path of ["src/deep/a.js", "src/node_modules/x/a.js", "src/.git/a.js"]) write(path);
    await start(["src"]);
    for (const path of ["src/node_modules/x/a.js", "src/.git/a.js", "src/.hidden.js"]) write(path);
    const deep = write("src/deep/a.js");
    await expect.poll(() => heard).toContain(deep);
    const created = write("src/new/very/view.html");
    await expect.poll(() => heard).toContain(created);
    expect(heard.filter((path) => /node_modules|\/\./.test(path))).toEqual([]);
  });

  it("reports only the paths that count", async () => {
    write("src/a.js");
    await start(["src"], { counts: (path) => path.endsWith(".js") });
    write("src/log.txt");
    const later = write("src/new/b.js");
    await expect.poll(() => heard).toContain(later);
    expect(heard.filter((path) => !path.endsWith(".js"))).toEqual([]);
  });

  it.each(["dist", "dist/server", "."])("%s is deleted and created again by a build", async (path) => {
    write("project/dist/server/main.js");
    await start([join("project", path)]);
    for (let round = 0; round < 2; round++) {
      heard = [];
      rmSync(join(root, "project/dist"), { recursive: true });
      const file = write("project/dist/server/main.js");
      await expect.poll(() => heard).toContain(file);
      // The new folder is watched.
      const later = `project/dist/server/later-${round}.js`;
      const heardLater = (): string[] => {
        write(later);
        return heard;
      };
      await expect.poll(heardLater, { interval: 500 }).toContain(join(root, later));
    }
  });

  it("does not follow links", async () => {
    write("elsewhere/a.js");
    write("src/a.js");
    symlinkSync(join(root, "elsewhere"), join(root, "src/link"));
    await start(["src"]);
    write("elsewhere/a.js");
    const own = write("src/a.js");
    await expect.poll(() => heard).toContain(own);
    expect(heard).not.toContain(join(root, "src/link/a.js"));
  });

  it("has at most as many watchers as allowed", async () => {
    for (const path of ["src/a/x.js", "src/b/x.js", "src/c/x.js"]) write(path);
    // The parent needs a watcher too.
    await start(["src"], { maxFolders: 3 });
    for (const path of ["src/a/x.js", "src/b/x.js", "src/c/x.js"]) {
      write(path);
      await pause(100);
    }
    const last = write("src/x.js");
    await expect.poll(() => heard).toContain(last);
    expect(new Set(heard.filter((path) => path !== last)).size).toBe(1);
  });
});

it("changes in quick succession are reported once", async () => {
  write("src/a.js");
  await start(["src"], { quiet: 300 });
  for (let count = 0; count < 20; count++) write("src/a.js");
  const last = write("src/b.js");
  await expect.poll(() => heard).not.toEqual([]);
  expect(heard).toEqual([last]);
});

it("calls do not overlap, and a change during a call is reported after it", async () => {
  let running = 0;
  let most = 0;
  let calls = 0;
  let end = (): void => {};
  const changed = async (): Promise<void> => {
    calls++;
    most = Math.max(most, ++running);
    if (calls === 1) await new Promise<void>((resolve) => (end = resolve));
    running--;
  };
  await start(["src"], { changed });
  write("src/a.js");
  await expect.poll(() => calls).toBe(1);
  write("src/b.js");
  await pause(100);
  expect(calls).toBe(1);
  end();
  await expect.poll(() => calls).toBeGreaterThan(1);
  expect(most).toBe(1);
});

it("an error of the callback is reported, and the watch goes on", async () => {
  const errors: unknown[] = [];
  const changed = (path: string): void => {
    heard.push(path);
    throw new Error("no");
  };
  await start(["src"], { changed, failed: (error) => errors.push(error) });
  write("src/a.js");
  await expect.poll(() => errors.length).toBeGreaterThan(0);
  heard = [];
  write("src/a.js");
  await expect.poll(() => heard).not.toEqual([]);
});

it("nothing is reported after it was closed, also of a change just before", async () => {
  write("src/a.js");
  await start(["src"], { quiet: 50 });
  write("src/a.js");
  await watch?.close();
  write("src/a.js");
  await pause(200);
  expect(heard).toEqual([]);
});
