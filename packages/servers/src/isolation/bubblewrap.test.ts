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
/** What a server says that does a deed: closed in, and as a plain process or with a grant. */
const closed = async (isolation: Partial<Isolation>, deed: string, ...args: unknown[]) =>
  firstLine(await start(misbehaving(isolation, deed, ...args)));
const open = (deed: string, ...args: unknown[]) =>
  closed({ driver: "process", memory: 2 ** 30 }, deed, ...args);

afterEach(async () => {
  await Promise.all(running.splice(0).map((launched) => launched.stop(0)));
});

describe.skipIf(!report.works)(title, () => {
  let folder = "";
  beforeAll(() => {
    // Not below /tmp, which the server has of its own.
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

  it("runs a server, which has its own process ids and no capabilities, and cannot get any", async () => {
    const status = await closed({}, "status");
    expect(status).toMatchObject({ Pid: "2", NoNewPrivs: "1", user: "server" });
    for (const set of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"]) {
      expect(status?.[set]).toMatch(/^0+$/);
    }
    expect(status?.["uid"]).not.toBe(0);
    if (isRoot) await expect(open("status")).resolves.not.toMatchObject({ CapEff: "0000000000000000" });
  });

  it.runIf(isRoot)("gives each server of a gateway of root a user of its own", async () => {
    const [one, two] = await Promise.all([closed({}, "status"), closed({}, "status")]);
    expect(one?.["uid"]).not.toBe(two?.["uid"]);
  });

  it("gives the declared variables, which nobody sees on a command line", async () => {
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

  it("hides what is not granted: secrets of the system and of the person", async () => {
    const path = file("secret");
    await expect(closed({}, "read", path)).resolves.toEqual({ error: "ENOENT" });
    await expect(open("read", path)).resolves.toEqual({ done: "secret" });
    await expect(closed({ read: [path] }, "read", path)).resolves.toEqual({ done: "secret" });

    await expect(closed({}, "read", "/etc/shadow")).resolves.toEqual({ error: "ENOENT" });
    if (isRoot) await expect(open("read", "/etc/shadow")).resolves.toHaveProperty("done");
    const paths = ["/run", "/sys", "/home", "/root", "/var", "/etc/hosts", "/etc/machine-id"];
    const seen = await closed({}, "sees", ...paths);
    expect(Object.values(seen ?? {})).not.toContain(true);
    // Its passwd names the server, and nobody else.
    await expect(closed({}, "read", "/etc/passwd")).resolves.toEqual({
      done: expect.stringMatching(/^server:[^\n]*\n$/),
    });
  });

  it("does not see processes outside", async () => {
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

  it("writes nowhere but to its own /tmp and to what is granted", async () => {
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

  it("says what it cannot open", async () => {
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

  it("fills its own /tmp and nothing else", async () => {
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

  it("cannot start more processes than its limit", async () => {
    const few = await closed({ processes: 40 }, "fork", 120);
    expect(few).toMatchObject({ error: "EAGAIN" });
    expect(few?.["started"]).toBeGreaterThan(5);
    expect(few?.["started"]).toBeLessThan(40);
    await expect(closed({ processes: 400 }, "fork", 120)).resolves.toEqual({ started: 120 });
    await expect(open("fork", 120)).resolves.toEqual({ started: 120 });
  });

  it("is ended when it takes more memory than its limit", async () => {
    const launched = await start(misbehaving({ memory: 150 * 2 ** 20 }, "hog", 250));
    await expect(firstLine(launched)).resolves.toBeUndefined();
    await expect(launched.exited).resolves.toMatchObject({ outOfMemory: true });
    await expect(closed({ memory: 2 ** 29 }, "hog", 250)).resolves.toEqual({ taken: 250 });
  });

  it("limits the memory of all processes together where there is no control group", async () => {
    const tools = { ...(await bubblewrapTools()), cgroup: undefined };
    const launch = (megabytes: number, deed: string, ...args: number[]) =>
      start(misbehaving({ memory: megabytes * 2 ** 20, processes: 100 }, deed, ...args), tools);
    const over = { outOfMemory: true };
    await expect((await launch(150, "hog", 250)).exited).resolves.toMatchObject(over);
    await expect((await launch(300, "hogTogether", 4, 100)).exited).resolves.toMatchObject(over);
    await expect(launch(512, "hog", 250).then(firstLine)).resolves.toEqual({ taken: 250 });
  });

  it("limits the memory of all processes together where there is a control group", async (context) => {
    const { cgroup } = await bubblewrapTools();
    if (!cgroup) return context.skip("no control group can be made here");
    const together = (megabytes: number) =>
      closed({ memory: megabytes * 2 ** 20, processes: 100 }, "hogTogether", 4, 100);
    // The server itself may be the one that is ended.
    expect((await together(300))?.["taken"] ?? 0).toBeLessThan(4);
    await expect(together(1000)).resolves.toEqual({ taken: 4 });
  });

  it("leaves no control group behind", async (context) => {
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

  it("is ended when it takes more processor time than its limit", async () => {
    const launched = await start(misbehaving({ cpuSeconds: 1 }, "spin"));
    // 128 + SIGKILL, as bubblewrap tells it.
    await expect(launched.exited).resolves.toEqual({ code: 137, signal: null });
  });

  it("makes no user namespaces", async () => {
    const inside = await closed({}, "namespace");
    expect(inside?.["status"]).not.toBe(0);
    if (isRoot) await expect(open("namespace")).resolves.toEqual({ status: 0 });
  });

  it("asks the server itself to end, and ends one that ignores it", async () => {
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

  it("ends what the server left in a session of its own, even without an environment", async () => {
    const token = newToken();
    const launched = await start(misbehaving({}, "daemonise", token, "wiped"));
    await firstLine(launched);
    await expect.poll(() => processesWith(`300.${token}`)).not.toEqual([]);
    await launched.stop();
    expect(processesWith(`300.${token}`)).toEqual([]);
  });
});
