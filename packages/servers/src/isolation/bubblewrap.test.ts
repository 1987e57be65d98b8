import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { firstLine, misbehaving, newToken, processesWith } from "../../../../testing/gateway/launching.js";
import { launchWith } from "./bubblewrap.js";
import { type BubblewrapTools, bubblewrapTools } from "./bubblewrap-tools.js";
import { probeDriver } from "./drivers.js";
import type { Isolation, Launched, LaunchSpec } from "./isolation.js";
import { launch } from "./launch.js";

const report = await probeDriver("bubblewrap");
const isRoot = process.getuid?.() === 0;
const title = `the driver bubblewrap${report.works ? "" : ` (skipped: ${report.reason})`}`;

const running: Launched[] = [];
const start = async (spec: LaunchSpec, tools?: BubblewrapTools) => {
  const launched = await (tools ? launchWith(tools, spec) : launch(spec));
  running.push(launched);
  return launched;
};
/** Runs an action in a server and returns its output: sandboxed, and as a plain process or with a grant. */
const closed = async (isolation: Partial<Isolation>, action: string, ...args: unknown[]) =>
  firstLine(await start(misbehaving(isolation, action, ...args)));
const open = (action: string, ...args: unknown[]) =>
  closed({ driver: "process", memory: 2 ** 30 }, action, ...args);

afterEach(async () => {
  await Promise.all(running.splice(0).map((launched) => launched.stop(0)));
});

describe.skipIf(!report.works)(title, () => {
  let folder = "";
  beforeAll(() => {
    // Not below /tmp, which the server has its own version of.
    folder = mkdtempSync(join(existsSync("/var/tmp") ? "/var/tmp" : tmpdir(), "vitrine-isolation-"));
    chmodSync(folder, 0o755);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const file = (name: string, mode = 0o644) => {
    const path = join(folder, name);
    writeFileSync(path, "secret");
    chmodSync(path, mode);
    return path;
  };
  const subfolder = (mode: number) => {
    const path = mkdtempSync(join(folder, "granted-"));
    chmodSync(path, mode);
    return path;
  };

  it("runs a server with its own process ids and without capabilities, which it cannot gain", async () => {
    const status = await closed({}, "status");
    expect(status).toMatchObject({ Pid: "2", NoNewPrivs: "1", user: "server" });
    for (const set of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"]) {
      expect(status?.[set]).toMatch(/^0+$/);
    }
    expect(status?.["uid"]).not.toBe(0);
    if (isRoot) await expect(open("status")).resolves.not.toMatchObject({ CapEff: "0000000000000000" });
  });

  it.runIf(isRoot)("gives each server its own user if the gateway is root", async () => {
    const [one, two] = await Promise.all([closed({}, "status"), closed({}, "status")]);
    expect(one?.["uid"]).not.toBe(two?.["uid"]);
  });

  it("passes the declared variables without showing them on a command line", async () => {
    const secret = randomBytes(8).toString("hex");
    const launched = await start({ ...misbehaving({}, "environment"), env: { TOKEN: secret } });
    const environment = await firstLine(launched);
    expect(environment?.["TOKEN"]).toBe(secret);
    expect(Object.keys(environment ?? {}).sort()).toEqual([
      "HOME",
      "PATH",
      "PWD",
      "TOKEN",
      "VITRINE_INSTANCE",
    ]);
    expect(processesWith(secret)).toEqual([]);
  });

  it("hides files that are not granted, of the system and of the user", async () => {
    const path = file("secret");
    await expect(closed({}, "read", path)).resolves.toEqual({ error: "ENOENT" });
    await expect(open("read", path)).resolves.toEqual({ done: "secret" });
    await expect(closed({ read: [path] }, "read", path)).resolves.toEqual({ done: "secret" });

    await expect(closed({}, "read", "/etc/shadow")).resolves.toEqual({ error: "ENOENT" });
    if (isRoot) await expect(open("read", "/etc/shadow")).resolves.toHaveProperty("done");
    const paths = ["/run", "/sys", "/home", "/root", "/var", "/etc/hosts", "/etc/machine-id"];
    const seen = await closed({}, "sees", ...paths);
    expect(Object.values(seen ?? {})).not.toContain(true);
    // Its passwd contains only the server's user.
    await expect(closed({}, "read", "/etc/passwd")).resolves.toEqual({
      done: expect.stringMatching(/^server:[^\n]*\n$/),
    });
  });

  it("hides processes outside of the sandbox", async () => {
    await expect(closed({}, "sees", `/proc/${process.pid}`)).resolves.toEqual({
      [`/proc/${process.pid}`]: false,
    });
    await expect(open("sees", `/proc/${process.pid}`)).resolves.toEqual({ [`/proc/${process.pid}`]: true });
  });

  it("has no network unless it is granted", async () => {
    const server = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
    try {
      await new Promise((resolve) => server.once("listening", resolve));
      const address = server.address();
      const port = typeof address === "object" ? address?.port : undefined;
      await expect(closed({}, "connect", port)).resolves.toEqual({ error: "ECONNREFUSED" });
      await expect(closed({ network: true }, "connect", port)).resolves.toEqual({ done: true });
      await expect(open("connect", port)).resolves.toEqual({ done: true });
      await expect(closed({ network: true }, "sees", "/etc/hosts")).resolves.toEqual({
        "/etc/hosts": existsSync("/etc/hosts"),
      });
    } finally {
      server.close();
    }
  });

  it("allows writing only to its own /tmp and to granted folders", async () => {
    for (const path of ["/file", "/usr/file", "/etc/file", "/dev/file"]) {
      await expect(closed({}, "write", path)).resolves.toEqual({ error: "EROFS" });
    }
    const readable = subfolder(0o777);
    await expect(closed({ read: [readable] }, "write", join(readable, "file"))).resolves.toEqual({
      error: "EROFS",
    });
    await expect(closed({ write: [readable] }, "write", join(readable, "file"))).resolves.toEqual({
      done: true,
    });
    expect(readFileSync(join(readable, "file"), "utf8")).toBe("written");

    const name = `/tmp/vitrine-${randomBytes(6).toString("hex")}`;
    await expect(closed({}, "write", name)).resolves.toEqual({ done: true });
    expect(existsSync(name)).toBe(false);
  });

  it.runIf(isRoot)("writes as the owner of a granted folder, and never as root", async () => {
    const path = subfolder(0o700);
    await expect(closed({ write: [path] }, "behave")).rejects.toMatchObject({
      data: { code: "isolation-unavailable" },
      message: expect.stringMatching(/belongs to root.*chown/),
    });
    chownSync(path, 12_345, 12_345);
    await expect(closed({ write: [path] }, "write", join(path, "file"))).resolves.toEqual({ done: true });
    expect(statSync(join(path, "file")).uid).toBe(12_345);
    const other = subfolder(0o700);
    chownSync(other, 12_346, 12_346);
    await expect(closed({ write: [path, other] }, "behave")).rejects.toThrow("two users");
  });

  it("explains grants that it refuses", async () => {
    const never = {
      message: expect.stringContaining("would open the machine"),
      data: { code: "isolation-unavailable" },
    };
    for (const path of ["/", "/proc/1", "/dev", "/run"]) {
      await expect(closed({ read: [path] }, "behave")).rejects.toMatchObject(never);
    }
    await expect(closed({ read: ["relative"] }, "behave")).rejects.toThrow("absolute path");
    await expect(closed({ read: [join(folder, "missing")] }, "behave")).rejects.toThrow("does not exist");
    await expect(start({ ...misbehaving({}, "behave"), cwd: "/" })).rejects.toThrow("too much");
    if (isRoot)
      await expect(closed({ read: [file("closed", 0o600)] }, "behave")).rejects.toThrow(
        /may not read .*chmod/,
      );
  });

  it("limits the size of /tmp", async () => {
    const tmp = 3 * 2 ** 20;
    await expect(closed({ tmp }, "fill", "/tmp/file", 20)).resolves.toEqual({ error: "ENOSPC", written: 3 });
    await expect(closed({ tmp: 2 ** 25 }, "fill", "/tmp/file", 20)).resolves.toEqual({
      done: true,
      written: 20,
    });
    await expect(closed({ tmp }, "fill", "/dev/shm/file", 20)).resolves.toMatchObject({ error: "ENOSPC" });
    const path = join(subfolder(0o777), "file");
    await expect(open("fill", path, 20)).resolves.toEqual({ done: true, written: 20 });
  });

  it("limits the number of processes", async () => {
    const few = await closed({ processes: 40 }, "fork", 120);
    expect(few).toMatchObject({ error: "EAGAIN" });
    expect(few?.["started"]).toBeGreaterThan(5);
    expect(few?.["started"]).toBeLessThan(40);
    await expect(closed({ processes: 400 }, "fork", 120)).resolves.toEqual({ started: 120 });
    await expect(open("fork", 120)).resolves.toEqual({ started: 120 });
  });

  it("ends a server that exceeds its memory limit", async () => {
    const launched = await start(misbehaving({ memory: 150 * 2 ** 20 }, "hog", 250));
    await expect(firstLine(launched)).resolves.toBeUndefined();
    await expect(launched.exited).resolves.toMatchObject({ outOfMemory: true });
    await expect(closed({ memory: 2 ** 29 }, "hog", 250)).resolves.toEqual({ taken: 250 });
  });

  it("limits the memory of all processes together, without a control group", async () => {
    const tools = { ...(await bubblewrapTools()), cgroup: undefined };
    const launch = (megabytes: number, action: string, ...args: number[]) =>
      start(misbehaving({ memory: megabytes * 2 ** 20, processes: 100 }, action, ...args), tools);
    const over = { outOfMemory: true };
    await expect((await launch(150, "hog", 250)).exited).resolves.toMatchObject(over);
    await expect((await launch(300, "hogTogether", 4, 100)).exited).resolves.toMatchObject(over);
    await expect(launch(512, "hog", 250).then(firstLine)).resolves.toEqual({ taken: 250 });
  });

  it("limits the memory of all processes together, with a control group", async (context) => {
    const { cgroup } = await bubblewrapTools();
    if (!cgroup) return context.skip("no control group can be made here");
    const together = (megabytes: number) =>
      closed({ memory: megabytes * 2 ** 20, processes: 100 }, "hogTogether", 4, 100);
    // The kernel may kill the server itself.
    expect((await together(300))?.["taken"] ?? 0).toBeLessThan(4);
    await expect(together(1000)).resolves.toEqual({ taken: 4 });
  });

  it("removes its control group", async (context) => {
    const { cgroup } = await bubblewrapTools();
    if (!cgroup) return context.skip("no control group can be made here");
    const launched = await start(misbehaving({}, "behave"));
    await firstLine(launched);
    const [name] = readFileSync(`/proc/${launched.pid}/cgroup`, "utf8").match(/vitrine-[\w.]+/) ?? [];
    const folders = cgroup.folders.map(({ path }) => join(path, name ?? "?"));
    expect(folders.map((path) => existsSync(path))).toEqual(folders.map(() => true));
    await launched.stop();
    expect(folders.map((path) => existsSync(path))).toEqual(folders.map(() => false));
  });

  it("ends a server that exceeds its limit of processor time", async () => {
    const launched = await start(misbehaving({ cpuSeconds: 1 }, "spin"));
    // 128 + SIGKILL, as bubblewrap reports it.
    await expect(launched.exited).resolves.toEqual({ code: 137, signal: null });
  });

  it("prevents user namespaces", async () => {
    const inside = await closed({}, "namespace");
    expect(inside?.["status"]).not.toBe(0);
    if (isRoot) await expect(open("namespace")).resolves.toEqual({ status: 0 });
  });

  it("sends SIGTERM to the server itself, and kills a server that ignores it", async () => {
    const polite = await start({
      ...misbehaving({}, "behave"),
      command: "sh",
      args: ["-c", "trap 'exit 7' TERM; echo 1; while :; do sleep 0.1; done"],
    });
    await firstLine(polite);
    await polite.stop(300);
    await expect(polite.exited).resolves.toEqual({ code: 7, signal: null });

    const token = newToken();
    const stubborn = await start(misbehaving({}, "stubborn", token));
    await firstLine(stubborn);
    await expect.poll(() => processesWith(token)).not.toEqual([]);
    await stubborn.stop(100);
    expect(processesWith(token)).toEqual([]);
  });

  it("ends processes that the server left in another session, even without an environment", async () => {
    const token = newToken();
    const launched = await start(misbehaving({}, "daemonise", token, "wiped"));
    await firstLine(launched);
    await expect.poll(() => processesWith(`300.${token}`)).not.toEqual([]);
    await launched.stop();
    expect(processesWith(`300.${token}`)).toEqual([]);
  });
});
