import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { CLOSED, firstLine } from "../../../../testing/gateway/launching.js";
import { containerArguments, findEngine, launchContainer, tryImage } from "./container.js";
import type { LaunchSpec } from "./isolation.js";

const SPEC: LaunchSpec = {
  name: "files",
  command: "node",
  args: ["/app/server.js", "--stdio"],
  env: { TOKEN: "secret", PATH: "/opt/bin" },
  cwd: "/app",
  isolation: { ...CLOSED, driver: "container", image: "example/files:1" },
};

const folders: string[] = [];
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-container-"));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A program that replaces an engine: it logs its arguments, and runs without a container. */
function standIn(script: string): { name: "podman"; path: string; log: string } {
  const folder = newFolder();
  const [path, log] = [join(folder, "podman"), join(folder, "log")];
  writeFileSync(path, `#!/bin/sh\nprintf '%s\\n' "$*" >> ${log}\n${script}\n`);
  chmodSync(path, 0o755);
  return { name: "podman", path, log };
}

describe("the driver container", () => {
  it("denies everything by default, and shows no secret on the command line", () => {
    expect(containerArguments(SPEC, "vitrine-1")).toEqual([
      "run",
      "--rm",
      "--interactive",
      "--name=vitrine-1",
      "--read-only",
      "--network=none",
      "--cap-drop=ALL",
      "--security-opt=no-new-privileges",
      "--memory=268435456",
      "--memory-swap=268435456",
      "--pids-limit=64",
      "--tmpfs=/tmp:rw,nosuid,nodev,size=4194304,mode=1777",
      "--log-driver=none",
      "--env=TOKEN",
      // This variable would configure the engine, so its value is given here.
      "--env=PATH=/opt/bin",
      "--workdir=/app",
      "--entrypoint=node",
      "example/files:1",
      "/app/server.js",
      "--stdio",
    ]);
  });

  it("mounts granted paths", () => {
    const isolation = {
      ...SPEC.isolation,
      network: true,
      read: ["/a", "/b"],
      write: ["/b"],
      cpuSeconds: 2.5,
    };
    const args = containerArguments({ ...SPEC, isolation }, "vitrine-1");
    expect(args).toEqual(
      expect.arrayContaining([
        "--network=bridge",
        "--ulimit=cpu=3",
        "--mount=type=bind,source=/a,target=/a,readonly",
        "--mount=type=bind,source=/b,target=/b",
      ]),
    );
    expect(args).not.toContain("--mount=type=bind,source=/b,target=/b,readonly");
  });

  it("requires an image", () => {
    const isolation = { ...SPEC.isolation, image: undefined };
    expect(() => containerArguments({ ...SPEC, isolation }, "vitrine-1")).toThrow('set "image"');
  });

  it("reports which engines are missing or do not work", async () => {
    const path = process.env["PATH"];
    try {
      process.env["PATH"] = newFolder();
      await expect(findEngine()).rejects.toMatchObject({
        data: { code: "isolation-unavailable" },
        message: expect.stringMatching(/no "podman".*no "docker".*Install podman or docker/),
      });
      const broken = standIn("echo 'cannot connect to the daemon' >&2; exit 1");
      process.env["PATH"] = `${broken.path.slice(0, broken.path.lastIndexOf("/"))}:${path}`;
      await expect(findEngine(["podman"])).rejects.toThrow("cannot connect to the daemon");
    } finally {
      process.env["PATH"] = path;
    }
  });

  it("accepts an image that only lacks the tested program, and reports any other failure", async () => {
    const runs = standIn(`
for last in "$@"; do case $last in --entrypoint=*) echo "exec: "\${last#*=}": no such file" >&2; exit 127;; esac; done`);
    await expect(tryImage(runs, "example/files:1", CLOSED)).resolves.toBeUndefined();
    expect(readFileSync(runs.log, "utf8")).toMatch(/^run --rm .*--network=none .*example\/files:1\n$/);
    for (const failure of [
      "echo 'setrlimit RLIMIT_NOFILE: Operation not permitted' >&2; exit 126",
      "echo 'openat2 /sys/fs/cgroup/pids.max: no such file or directory' >&2; exit 127",
    ]) {
      await expect(tryImage(standIn(failure), "example/files:1", CLOSED)).rejects.toMatchObject({
        data: { code: "isolation-unavailable" },
        message: expect.stringMatching(/cannot run the image "example\/files:1".*(RLIMIT_NOFILE|pids\.max)/),
      });
    }
  });

  it("rejects paths that the engine would misread", async () => {
    const isolation = { ...SPEC.isolation, read: ["/a,readonly=false"] };
    await expect(launchContainer({ ...SPEC, isolation }, standIn("exit 1"))).rejects.toThrow("comma");
  });

  it("is ended by its name: first signalled, then removed", async () => {
    const engine = standIn(`
case $1 in
  run) echo "{\\"token\\": \\"$TOKEN\\", \\"path\\": \\"$PATH\\"}"; trap '' TERM; while :; do sleep 0.05; done ;;
esac`);
    const launched = await launchContainer(SPEC, engine);
    // The engine keeps its own search path, and has the server's variables to pass on.
    expect(await firstLine(launched)).toEqual({ token: "secret", path: process.env["PATH"] });
    await launched.stop(20);
    const asked = readFileSync(engine.log, "utf8").trim().split("\n");
    const [, name] = /--name=(\S+)/.exec(asked[0] ?? "") ?? [];
    expect(asked.slice(1, 4)).toEqual([
      `kill --signal=TERM ${name}`,
      `kill --signal=KILL ${name}`,
      `rm --force ${name}`,
    ]);
  });
});
