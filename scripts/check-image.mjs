/**
 * `node scripts/check-image.mjs IMAGE`: starts the image as operators are told to, and waits until its health check passes. Then it
 * stops it: the gateway must end by itself. It needs a container engine; CI runs it.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const ENGINE = process.env.CONTAINER_ENGINE ?? "docker";
const [, , image] = process.argv;
if (image === undefined) throw new Error("name the image: node scripts/check-image.mjs vitrine:ci");

const engine = (...args) => execFileSync(ENGINE, args, { encoding: "utf8" }).trim();
const folder = mkdtempSync(join(tmpdir(), "vitrine-image-"));
const tokenHash = createHash("sha256").update("a token for this check").digest("hex");
writeFileSync(
  join(folder, "gateway.json"),
  JSON.stringify({
    listen: { origin: "http://localhost:8090" },
    sandbox: { host: "0.0.0.0" },
    users: [{ name: "ana", tokenHash }],
    mcpServers: {},
  }),
);

const id = engine(
  ...["run", "--detach", "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL"],
  ...["--security-opt", "no-new-privileges", "--volume", `${folder}:/etc/vitrine:ro`, image],
);
try {
  const health = () => engine("inspect", "--format", "{{.State.Health.Status}}", id);
  for (let tries = 0; health() !== "healthy"; tries++) {
    if (tries > 60) throw new Error(`not healthy after a minute:\n${engine("logs", id)}`);
    await pause(1000);
  }
  const user = engine("exec", id, "id", "-u");
  if (user === "0") throw new Error("it runs as root");
  engine("stop", "--time", "30", id);
  const code = engine("inspect", "--format", "{{.State.ExitCode}}", id);
  // 137: it did not end by itself.
  if (code !== "0") throw new Error(`it ended with ${code}:\n${engine("logs", id)}`);
  console.log(`${image}: healthy as user ${user}, and stopped by SIGTERM`);
} finally {
  engine("rm", "--force", id);
  rmSync(folder, { recursive: true, force: true });
}
