import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type HttpStage, openStage } from "../../../testing/gateway/http-stage.js";
import { browserCommand, openBrowser } from "./open-browser.js";
import { writeSignInPage } from "./sign-in-page.js";

const folder = mkdtempSync(join(tmpdir(), "vitrine-open-"));
const [home, runtime] = [join(folder, "home"), join(folder, "run")];
const said = join(folder, "said");
for (const name of ["xdg-open", "wslview"]) {
  const program = join(folder, name);
  writeFileSync(
    program,
    `#!/bin/sh\nprintf '%s|' "$#" "$@" > "${said}.part" && mv "${said}.part" "${said}"\n`,
  );
  chmodSync(program, 0o755);
}

let stage: HttpStage;
beforeAll(async () => {
  vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
  for (const each of [home, runtime]) mkdirSync(each);
  stage = await openStage();
});
afterEach(() => rmSync(said, { force: true }));
afterAll(async () => {
  vi.unstubAllEnvs();
  await stage.listener.close(0);
  rmSync(folder, { recursive: true, force: true });
});

const at = (env: Record<string, string>, platform: NodeJS.Platform = "linux") => ({
  cwd: folder,
  home,
  platform,
  env: { PATH: folder, ...env },
});

/** Arguments of the program that opens pages. */
async function told(): Promise<string> {
  await vi.waitFor(() => expect(existsSync(said)).toBe(true), 20_000);
  return readFileSync(said, "utf8");
}

/** Follows the link of a page, like a browser that opened a file. */
function follow(file: string) {
  const [, link = ""] = /url=([^"]+)"/.exec(readFileSync(file, "utf8")) ?? [];
  const { pathname, search } = new URL(link);
  return stage.ask(`${pathname}${search}`, {
    headers: {
      host: stage.program["host"],
      "sec-fetch-site": "cross-site",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document",
    },
  });
}

describe("openBrowser", () => {
  it("finds the program on every system, and none without a screen", async () => {
    expect(await browserCommand(at({}))).toBeUndefined();
    expect(await browserCommand(at({ DISPLAY: ":0" }))).toMatchObject({ words: ["xdg-open"] });
    expect(await browserCommand(at({ DISPLAY: ":0", PATH: "/nowhere" }))).toBeUndefined();
    expect(await browserCommand(at({ WSL_DISTRO_NAME: "Debian" }))).toMatchObject({ words: ["wslview"] });
    expect(await browserCommand(at({}, "darwin"))).toMatchObject({ words: ["open"] });
    expect(await browserCommand(at({}, "win32"))).toMatchObject({
      words: ["rundll32", "url.dll,FileProtocolHandler"],
    });
  });

  it("reveals the link to no other user: a private file leads to it, and is deleted after use", async () => {
    expect(await openBrowser(stage.listener, at({ DISPLAY: ":0", XDG_RUNTIME_DIR: runtime }))).toBe(true);
    const [, file = ""] = /^1\|(.+)\|$/.exec(await told()) ?? [];
    expect(dirname(dirname(file))).toBe(runtime);
    expect([statSync(dirname(file)).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
    const answer = await follow(file);
    expect(answer).toMatchObject({ status: 200, headers: { refresh: "0; url=/" } });
    expect(answer.headers["set-cookie"]).toHaveLength(1);
    expect(readdirSync(runtime)).toEqual([]);
  });

  it("leaves nothing behind without a browser", async () => {
    vi.stubEnv("PATH", "/nowhere");
    expect(await openBrowser(stage.listener, at({ DISPLAY: ":0", XDG_RUNTIME_DIR: runtime }))).toBe(false);
    vi.stubEnv("PATH", `${folder}:/usr/bin:/bin`);
    expect(readdirSync(runtime)).toEqual([]);
  });

  it("gives up without a writable location, and passes Windows the link itself", async () => {
    const nowhere = join(folder, "xdg-open", "no");
    const without = { ...at({ DISPLAY: ":0", XDG_RUNTIME_DIR: nowhere }), home: nowhere };
    expect(await openBrowser(stage.listener, without)).toBe(false);
    expect(await openBrowser(stage.listener, at({ WSL_DISTRO_NAME: "Debian" }))).toBe(true);
    expect(await told()).toMatch(/^1\|http:\S+\/login\?code=[\w-]+\|$/);
  });

  it("signs in even if its file cannot be deleted", async () => {
    const gone = join(folder, "gone");
    mkdirSync(gone);
    expect(await openBrowser(stage.listener, at({ DISPLAY: ":0", XDG_RUNTIME_DIR: gone }))).toBe(true);
    const [, file = ""] = /^1\|(.+)\|$/.exec(await told()) ?? [];
    const moved = file.replace(gone, `${gone}-moved`);
    renameSync(gone, `${gone}-moved`);
    // A file in place of its folder: the system refuses to look inside.
    writeFileSync(gone, "");
    expect(await follow(moved)).toMatchObject({ status: 200 });
  });
});

describe("writeSignInPage", () => {
  it("is where the browser can read it: under the home folder, and not hidden for Snap", () => {
    const link = "http://127.0.0.1:1/login?code=a&b=\"'<";
    const hidden = writeSignInPage(link, at({}));
    expect(dirname(dirname(hidden.file))).toBe(join(home, ".cache"));
    expect(readFileSync(hidden.file, "utf8")).toContain("code=a&#38;b=&#34;&#39;&#60;");
    mkdirSync(join(home, "snap"));
    const seen = writeSignInPage(link, at({ XDG_RUNTIME_DIR: runtime }));
    expect(dirname(dirname(seen.file))).toBe(home);
    for (const page of [hidden, seen]) page.remove();
    rmSync(join(home, "snap"), { recursive: true });
    expect(readdirSync(home).sort()).toEqual([".cache"]);
    expect(readdirSync(join(home, ".cache"))).toEqual([]);
  });

  it("falls back to the next folder", () => {
    const page = writeSignInPage("http://127.0.0.1:1/", at({ XDG_RUNTIME_DIR: join(folder, "none") }));
    expect(dirname(dirname(dirname(page.file)))).toBe(home);
    page.remove();
  });

  it("is deleted when its link expires", () => {
    vi.useFakeTimers();
    try {
      const { file } = writeSignInPage("http://127.0.0.1:1/", at({ XDG_RUNTIME_DIR: runtime }));
      vi.advanceTimersByTime(59_000);
      expect(existsSync(file)).toBe(true);
      vi.advanceTimersByTime(1000);
      expect(existsSync(file)).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });
});
