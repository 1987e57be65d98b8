/** `vitrine dev --test-mode`: only the command enables it, and the page learns of it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connectGateway } from "@vitrine/host/gateway";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket as NodeSocket } from "ws";
import { pageStorage } from "../../../testing/gateway/entry-points.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const MAIN = at("../dist/main.js");
const SERVER = `node ${at("../../../testing/cli/bad-server.mjs")}`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-test-mode-"));
  await writeFile(join(folder, "index.html"), "<!doctype html><title>Page</title>");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs `vitrine dev` with these arguments, and sends the page's first request; returns its stderr too. */
async function ask(...words: string[]) {
  const all = ["dev", SERVER, "--static", folder, "--port", "0", "--data", join(folder, "data"), "--json"];
  const env = { PATH: process.env["PATH"], HOME: folder };
  const child = spawn(process.execPath, [MAIN, ...all, ...words], { env, cwd: folder });
  let [out, err] = ["", ""];
  child.stdout.on("data", (data) => void (out += data));
  child.stderr.on("data", (data) => void (err += data));
  try {
    await expect.poll(() => out || child.exitCode).toContain("}");
    const { url, origin } = JSON.parse(out) as { url: string; origin: string };
    const signedIn = await fetch(url, { redirect: "manual" });
    const headers = { origin, cookie: signedIn.headers.get("set-cookie")?.split(";")[0] ?? "" };
    class Socket extends NodeSocket {
      constructor(address: string | URL) {
        super(address, { headers });
      }
    }
    const gateway = connectGateway({
      url: `${origin}/api/session`,
      storage: pageStorage() as unknown as Storage,
      fetch: (address, init = {}) =>
        fetch(address, { ...init, headers: { ...Object(init.headers), ...headers } }),
      WebSocket: Socket as unknown as typeof WebSocket,
    });
    const told = await gateway.request("gateway/servers", {});
    gateway.close();
    return { told, err };
  } finally {
    child.kill("SIGINT");
    if (child.exitCode === null) await once(child, "exit");
  }
}

it("is on with --test-mode, and the user is warned", async () => {
  const { told, err } = await ask("--test-mode");
  expect(told).toMatchObject({ testMode: true, servers: [{ name: "bad-server" }] });
  expect(err).toContain("test mode: any program in the page can answer questions on your behalf");
  expect(err.match(/test mode/g)).toHaveLength(1);
});

it("is off without it", async () => {
  const { told, err } = await ask();
  expect(told).not.toHaveProperty("testMode");
  expect(err).not.toContain("test mode");
});
