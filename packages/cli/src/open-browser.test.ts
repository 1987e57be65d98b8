import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { browserCommand, openBrowser } from "./open-browser.js";

const folder = mkdtempSync(join(tmpdir(), "vitrine-open-"));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const program = join(folder, "xdg-open");
const said = join(folder, "said");
writeFileSync(program, `#!/bin/sh\nprintf '%s|' "$#" "$@" > "${said}.part" && mv "${said}.part" "${said}"\n`);
chmodSync(program, 0o755);

const at = (env: Record<string, string>, platform: NodeJS.Platform = "linux") => ({
  ...{ cwd: folder, home: folder, platform },
  env: { PATH: folder, ...env },
});

describe("openBrowser", () => {
  it("knows how on every system, and that there is none without a screen", async () => {
    expect(await browserCommand(at({}))).toBeUndefined();
    expect(await browserCommand(at({ DISPLAY: ":0" }))).toEqual(["xdg-open"]);
    expect(await browserCommand(at({ DISPLAY: ":0", PATH: "/nowhere" }))).toBeUndefined();
    expect(await browserCommand(at({}, "darwin"))).toEqual(["open"]);
    expect(await browserCommand(at({}, "win32"))).toEqual(["rundll32", "url.dll,FileProtocolHandler"]);
  });

  it("hands the address over as one argument, past every shell", async () => {
    vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
    const url = "http://127.0.0.1:1/login?code=a&b=$(id);`id`";
    expect(await openBrowser(url, at({ DISPLAY: ":0" }))).toBe(true);
    await vi.waitFor(() => expect(existsSync(said)).toBe(true), 20_000);
    expect(readFileSync(said, "utf8")).toBe(`1|${url}|`);
  });
});
