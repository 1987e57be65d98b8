import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HttpStage, openStage } from "../../../../testing/gateway/http-stage.js";
import { pageHeaders } from "./headers.js";
import { StaticFiles } from "./static.js";

let root: string;
let stage: HttpStage;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "vitrine-static-"));
  const folder = join(root, "site");
  await mkdir(join(folder, "assets"), { recursive: true });
  await mkdir(join(folder, ".git"));
  await mkdir(join(root, "site-secret"));
  await writeFile(join(root, "secret.txt"), "secret");
  await writeFile(join(root, "site-secret", "a.txt"), "secret");
  await writeFile(join(folder, ".git", "config"), "secret");
  await writeFile(join(folder, ".env"), "secret");
  await symlink(join(root, "secret.txt"), join(folder, "link.txt"));
  await symlink(root, join(folder, "up"));
  await writeFile(join(folder, "index.html"), "<!doctype html><h1>Workbench</h1>");
  await writeFile(join(folder, "assets", "index-B4x9Kf2a.js"), "1;");
  await writeFile(join(folder, "assets", "workbench-settings.js"), "2;");
  await writeFile(join(folder, "assets", "my-report-20261115.js"), "3;");
  await writeFile(join(folder, "data.unknown"), "<script>");
  await writeFile(join(folder, "größe.txt"), "ok");
  stage = await openStage({ static: { folder, frames: ["http://*.localhost:8091"] } });
});
afterAll(async () => {
  await stage.listener.close(0);
  await rm(root, { recursive: true });
});

const get = (path: string, more: Record<string, string> = {}) => {
  const { host, authorization } = stage.program;
  return stage.ask(path, { headers: { host, authorization, ...more } });
};

describe("files of a folder", () => {
  it("are served with a policy that allows only the sandbox", async () => {
    const { status, text, headers } = await get("/");
    expect([status, text]).toEqual([200, "<!doctype html><h1>Workbench</h1>"]);
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self'; " +
        "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; " +
        "frame-ancestors 'none'; frame-src http://*.localhost:8091",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    });
  });

  it("are cached permanently if their names contain a hash, and revalidated otherwise", async () => {
    const cached = async (path: string) => (await get(path)).headers["cache-control"];
    expect(await cached("/assets/index-B4x9Kf2a.js")).toBe("private, max-age=31536000, immutable");
    expect(await cached("/assets/workbench-settings.js")).toBe("no-cache");
    expect(await cached("/assets/my-report-20261115.js")).toBe("no-cache");
    expect(await cached("/index.html")).toBe("no-cache");
    const { headers } = await get("/index.html");
    const again = await get("/index.html", { "if-none-match": `"other", ${headers.etag}` });
    expect([again.status, again.text]).toEqual([304, ""]);
  });

  it("have types by their extensions, and none that a browser would execute by sniffing", async () => {
    expect((await get("/assets/index-B4x9Kf2a.js")).headers["content-type"]).toBe(
      "text/javascript; charset=utf-8",
    );
    expect((await get("/data.unknown")).headers["content-type"]).toBe("application/octet-stream");
    expect((await get(`/${encodeURIComponent("größe.txt")}`)).text).toBe("ok");
  });

  it.each([
    "/../secret.txt",
    "/%2e%2e/secret.txt",
    "/..%2fsecret.txt",
    "/assets/../../secret.txt",
    "/assets/..%5c..%5csecret.txt",
    "/../site-secret/a.txt",
    "/.env",
    "/%2eenv",
    "/.git/config",
    "/link.txt",
    "/up/secret.txt",
    "/up/site/index.html/..",
    "/index.html%00.txt",
    "/index.html/",
    "//index.html",
    "/assets",
    "/assets/",
    "/%",
    "/%ff",
    "/nothing",
  ])("are not %s", async (path) => {
    const { status, text } = await get(path);
    expect(status).toBe(404);
    expect(text).not.toContain("secret");
  });

  it("require authentication, like everything else", async () => {
    expect((await stage.ask("/", { headers: { host: stage.program["host"] } })).status).toBe(401);
  });

  it("are rejected at the start if the folder or a source is invalid", async () => {
    await expect(StaticFiles.open({ folder: join(root, "none"), frames: [] })).rejects.toMatchObject({
      data: { code: "config-invalid" },
    });
    await expect(StaticFiles.open({ folder: join(root, "secret.txt"), frames: [] })).rejects.toMatchObject({
      message: expect.stringContaining("name the folder"),
      data: { code: "config-invalid" },
    });
    expect(() => pageHeaders({ frames: ["http://a.example; script-src *"] })).toThrow(
      /not a valid frame origin/,
    );
    expect(() => pageHeaders({ frames: [], directives: { "img-src": "*; script-src *" } })).toThrow(
      /is not valid/,
    );
    expect(pageHeaders({ frames: [], directives: { "img-src": "*" } })["content-security-policy"]).toMatch(
      /img-src \*; .*frame-src 'none'/,
    );
  });
});
