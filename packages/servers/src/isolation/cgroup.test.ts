import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findCgroupHome, homesOf } from "./cgroup.js";

/** The kernel's files cannot be created here, but the paths can be checked. */
describe("control groups", () => {
  let top = "";
  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), "vitrine-cgroup-"));
  });
  afterEach(() => rmSync(top, { recursive: true, force: true }));

  const describeProcess = (own: string, mounts: string[]) => {
    const proc = join(top, "proc");
    mkdirSync(proc);
    writeFileSync(join(proc, "cgroup"), `${own}\n`);
    writeFileSync(join(proc, "mountinfo"), mounts.map((line) => `${line}\n`).join(""));
    return proc;
  };
  const mount2 = (root = "/") => `30 23 0:26 ${root} ${top} rw,nosuid - cgroup2 cgroup2 rw`;

  it("of version 2 are created beside the gateway's own group, which has processes", async () => {
    mkdirSync(join(top, "app.slice/gateway.scope"), { recursive: true });
    writeFileSync(join(top, "app.slice/cgroup.subtree_control"), "cpu memory pids");
    const proc = describeProcess("0::/app.slice/gateway.scope", [mount2()]);
    const [home] = await homesOf(proc);
    expect(home).toMatchObject({ version: 2, folders: [{ path: join(top, "app.slice") }] });
    expect(home?.folders[0]?.limits.map(({ file }) => file)).toEqual([
      "memory.max",
      "memory.swap.max",
      "pids.max",
    ]);
  });

  it("of version 2 get their controllers enabled at the top of the tree", async () => {
    writeFileSync(join(top, "cgroup.subtree_control"), "");
    const [home] = await homesOf(describeProcess("0::/", [mount2()]));
    expect(home).toMatchObject({ version: 2, folders: [{ path: top }] });
    expect(readFileSync(join(top, "cgroup.subtree_control"), "utf8")).toBe("+memory +pids");
  });

  it("of version 1 are created in the gateway's own group of each kind", async () => {
    const own = "4:memory:/a:b/c\n8:cpu,pids:/";
    const homes = await homesOf(
      describeProcess(own, [
        `31 23 0:27 / ${top}/memory rw - cgroup cgroup rw,memory`,
        `32 23 0:28 / ${top}/pids rw - cgroup cgroup rw,cpu,pids`,
      ]),
    );
    expect(homes).toMatchObject([
      { version: 1, folders: [{ path: join(top, "memory/a:b/c") }, { path: join(top, "pids") }] },
    ]);
  });

  it("are not used if the kernel does not support the limits, and none is left behind", async () => {
    writeFileSync(join(top, "cgroup.subtree_control"), "memory pids");
    const proc = describeProcess("0::/", [mount2()]);
    // A folder on an ordinary disk has no kernel files.
    await expect(findCgroupHome("test", proc)).resolves.toBeUndefined();
    expect(readdirSync(top).sort()).toEqual(["cgroup.subtree_control", "proc"]);
  });

  it("are not used if there are none", async () => {
    await expect(findCgroupHome("test", join(top, "nothing"))).resolves.toBeUndefined();
  });
});
