/**
 * A server that does one forbidden thing, reports in one line of JSON how far it came, and stays until its
 * stdin ends. `node misbehaving.mjs <action> [argument…]`
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { connect as open } from "node:net";
import { networkInterfaces, userInfo } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

const MEGABYTE = 2 ** 20;
const say = (result) => console.log(JSON.stringify(result));
const held = [];

const attempt = (act) => {
  try {
    return { done: act() ?? true };
  } catch (error) {
    return { error: error.code ?? String(error) };
  }
};

const DEEDS = {
  /** Does nothing bad. */
  behave: () => ({ pid: process.pid }),
  /** Starts as many processes as it can, up to a number. */
  async fork(most) {
    let started = 0;
    let error;
    while (started < Number(most) && !error) {
      const child = spawn("sleep", ["300"], { stdio: "ignore" });
      error = await new Promise((resolve) => child.once("spawn", resolve).once("error", resolve));
      if (!error) started++;
    }
    return { started, error: error?.code };
  },
  /** Allocates a hundred megabytes a second, slowly enough to be measured. */
  async hog(megabytes) {
    while (held.length < Number(megabytes)) {
      held.push(Buffer.alloc(MEGABYTE, 1));
      if (held.length % 5 === 0) await sleep(50);
    }
    return { taken: held.length };
  },
  /** Allocates memory in several processes, a little in each. */
  async hogTogether(count, megabytes) {
    const code = `const b = Buffer.alloc(${megabytes} * ${MEGABYTE}, 1); console.log(b.length); process.stdin.resume();`;
    const children = Array.from({ length: Number(count) }, () =>
      spawn(process.execPath, ["-e", code], { stdio: ["pipe", "pipe", "ignore"] }),
    );
    const had = (child) => Promise.race([once(child.stdout, "data"), once(child, "exit")]);
    await Promise.all(children.map(had));
    // A process may have been killed to make room for the next.
    return { taken: children.filter(({ exitCode, signalCode }) => exitCode === null && !signalCode).length };
  },
  read: (path) => attempt(() => readFileSync(path, "utf8")),
  write: (path) => attempt(() => writeFileSync(path, "written")),
  /** Writes a file until the disk is full, or the file has the given size. */
  fill(path, megabytes) {
    let written = 0;
    const result = attempt(() => {
      const file = openSync(path, "w");
      try {
        for (; written < Number(megabytes); written++) writeSync(file, Buffer.alloc(MEGABYTE, 1));
      } finally {
        closeSync(file);
      }
    });
    return { ...result, written };
  },
  connect: (port, address = "127.0.0.1") =>
    new Promise((resolve) => {
      const socket = open(Number(port), address);
      socket
        .once("connect", () => resolve({ done: true }))
        .once("error", ({ code }) => resolve({ error: code }));
    }),
  interfaces: () => ({ names: Object.keys(networkInterfaces()) }),
  /** Ignores requests to end. */
  stubborn() {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => say({ ignored: signal }));
    setInterval(() => {}, 1000);
    return { pid: process.pid };
  },
  /**
   * Leaves a process behind, in its own session and without a parent; with `wiped`, also without an
   * environment.
   */
  async daemonise(token, wiped) {
    const waiting = `sleep 300.${token}`;
    const command = wiped ? `env -i ${waiting}` : waiting;
    spawn("setsid", ["sh", "-c", `${command} >/dev/null 2>&1 </dev/null & exit 0`], { stdio: "ignore" });
    // Inside a namespace, the process is visible too to processes inside.
    while (
      spawnSync("sh", ["-c", `grep -lsa "300.${token}" /proc/[0-9]*/cmdline | grep -vc "/$$/"`]).stdout < 1
    );
    return { done: true };
  },
  /** Creates a namespace in which it would be root. */
  namespace: () => ({ status: spawnSync("unshare", ["--user", "--map-root-user", "true"]).status }),
  environment: () => process.env,
  status: () => ({
    ...Object.fromEntries(
      readFileSync("/proc/self/status", "utf8")
        .split("\n")
        .map((line) => line.split(/:\s+/)),
    ),
    session: spawnSync("sh", ["-c", "ps -o sid= -p $$ || true"]).stdout.toString().trim(),
    user: userInfo().username,
    uid: process.getuid(),
  }),
  /** Reports its inherited file descriptors. */
  descriptors: () =>
    readdirSync("/proc/self/fd").map((name) => attempt(() => readlinkSync(`/proc/self/fd/${name}`)).done),
  sees: (...paths) => Object.fromEntries(paths.map((path) => [path, existsSync(path)])),
  /** Runs a busy loop. */
  spin() {
    for (;;);
  },
};

const [deed, ...args] = process.argv.slice(2);
say(await DEEDS[deed](...args));
process.stdin.resume();
