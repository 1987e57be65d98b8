/** The unit for systemd: it is valid, hardened, and leaves bubblewrap what it needs. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const UNIT = fileURLToPath(new URL("../../deploy/systemd/vitrine.service", import.meta.url));
const text = readFileSync(UNIT, "utf8");
/** The values of a key, in order. */
const values = (key: string): string[] =>
  [...text.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) => value);

const analyze = (...args: string[]) => spawnSync("systemd-analyze", args, { encoding: "utf8" });
const hasSystemd = Number(/^systemd (\d+)/.exec(analyze("--version").stdout ?? "")?.[1] ?? 0) >= 252;
if (!hasSystemd) console.warn("no systemd-analyze 252 or newer: some tests of the unit are skipped");

describe("the unit", () => {
  it.skipIf(!hasSystemd)("is valid, and a unit with a mistake is not", () => {
    const folder = mkdtempSync(join(tmpdir(), "vitrine-unit-"));
    const verify = (unit: string) => {
      const file = join(folder, "vitrine.service");
      // The paths of an installation do not exist here.
      writeFileSync(file, unit.replace("/usr/bin/node", process.execPath));
      const { status, stderr } = analyze("verify", "--man=no", file);
      return {
        status,
        stderr: stderr.split("\n").filter((line) => line.includes(file) || line.includes("vitrine.service")),
      };
    };
    try {
      expect(verify(text)).toEqual({ status: 0, stderr: [] });
      expect(verify(text.replace("NoNewPrivileges=yes", "NoNewPrivilegs=yes")).stderr).toHaveLength(1);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.skipIf(!hasSystemd)("is exposed little", () => {
    const { status, stdout } = analyze("security", "--offline=true", "--threshold=35", "--no-pager", UNIT);
    expect(status, stdout.split("\n").slice(-3).join("\n")).toBe(0);
  });

  it("has no setting that keeps bubblewrap from its namespaces, its mounts, or a new /proc", () => {
    for (const key of [
      "RestrictNamespaces",
      "ProtectProc",
      "ProcSubset",
      "ProtectKernelTunables",
      "ProtectKernelLogs",
      "PrivateUsers",
      "MemoryDenyWriteExecute",
      "RootDirectory",
    ]) {
      expect(values(key), key).toEqual([]);
    }
    const [filter = ""] = values("SystemCallFilter");
    expect(filter.split(" ")).toEqual(expect.arrayContaining(["@system-service", "@mount"]));
    expect(filter.startsWith("~")).toBe(false);
    // Bubblewrap sets up the loopback device of a new network over netlink.
    expect(values("RestrictAddressFamilies")[0]).toContain("AF_NETLINK");
  });

  it("protects the system, runs as a user of its own, and gets secrets as credentials", () => {
    expect(values("DynamicUser")).toEqual(["yes"]);
    expect(values("ProtectSystem")).toEqual(["strict"]);
    expect(values("NoNewPrivileges")).toEqual(["yes"]);
    expect(values("CapabilityBoundingSet")).toEqual([""]);
    const credentials = values("LoadCredential").map((each) => each.split(":")[0]);
    expect(credentials).toEqual(["key", "cluster-secret", "database"]);
    const variables = values("Environment").join(" ");
    for (const name of credentials)
      expect(variables).toMatch(new RegExp(`VITRINE_[A-Z_]+_FILE=%d/${name}( |$)`));
    expect(variables).not.toMatch(/(KEY|SECRET|PASSWORD|TOKEN)=/);
  });

  it("stops the gateway with SIGTERM alone, and restarts it after a failure", () => {
    expect(values("KillMode")).toEqual(["mixed"]);
    expect(values("KillSignal")).toEqual(["SIGTERM"]);
    expect(values("Restart")).toEqual(["on-failure"]);
    expect(Number(values("TimeoutStopSec")[0])).toBeGreaterThanOrEqual(60);
  });
});
