/** `npm run registry`, after its build. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

function start(port: number) {
  const script = fileURLToPath(new URL("../../scripts/registry.mjs", import.meta.url));
  const child = spawn(process.execPath, [script, String(port)], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill());
  return child;
}

it("serves every package as it is packed, and redirects requests for others", async () => {
  const child = start(0);
  let said = "";
  child.stdout.on("data", (data) => (said += data));
  await expect.poll(() => said).toMatch(/export npm_config_registry=(\S+)/);
  const [, url = ""] = /export npm_config_registry=(\S+)/.exec(said) ?? [];
  for (const name of ["vitrine", "@vitrine/host", "@vitrine/gateway"]) {
    const document = await (await fetch(`${url}${name.replace("/", "%2f")}`)).json();
    const { dist } = document.versions[document["dist-tags"].latest];
    const bytes = Buffer.from(await (await fetch(dist.tarball)).arrayBuffer());
    expect(dist.integrity).toBe(`sha512-${createHash("sha512").update(bytes).digest("base64")}`);
  }
  expect((await fetch(`${url}@vitrine%2fnothing`)).status).toBe(404);
  const other = await fetch(`${url}zod`, { redirect: "manual" });
  expect(other.status).toBe(302);
  expect(other.headers.get("location")).toMatch(/^https?:\/\/.+\/zod$/);
});

it("names another port if its port is in use", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await once(taken, "listening");
  const child = start((taken.address() as AddressInfo).port);
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect(said).toContain("npm run registry -- 4874");
  expect(code).toBe(1);
});
