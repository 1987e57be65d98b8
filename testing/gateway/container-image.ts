/**
 * A container image with Node and little else, made from the files of this machine, without a registry.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/**
 * Settings that some machines need: limits that may be set, and a runtime that supports their control groups.
 */
const SETTINGS = [
  "",
  `[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]\n`,
  `[engine]\nruntime = "runc"\n[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]\n`,
];

/** A working image; `remove` deletes it. */
export interface Image {
  name: string;
  remove(): void;
}

/** Builds an image with a container engine. Returns the reason if it cannot be built or does not run. */
export function makeImage(engine: string): Image | string {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-image-"));
  const name = `localhost/vitrine-test:${randomBytes(4).toString("hex")}`;
  const run = (command: string, ...args: string[]) =>
    spawnSync(command, args, { encoding: "utf8", timeout: 60_000, maxBuffer: 2 ** 24 });
  const before = process.env["CONTAINERS_CONF"];
  const remove = () => {
    run(engine, "rmi", "--force", name);
    rmSync(folder, { recursive: true, force: true });
    if (before === undefined) delete process.env["CONTAINERS_CONF"];
    else process.env["CONTAINERS_CONF"] = before;
  };
  const root = join(folder, "root");
  const programs = [process.execPath, ...["sh", "sleep", "setsid", "env", "grep"].map(which)];
  for (const part of ["usr/bin", "tmp", "proc", "dev", "sys", "etc"])
    mkdirSync(join(root, part), { recursive: true });
  symlinkSync("usr/bin", join(root, "bin"));
  for (const program of programs) {
    copy(program, join(root, "usr/bin", program.slice(program.lastIndexOf("/") + 1)));
    // Lines such as `libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f…)`.
    for (const [, library = ""] of run("ldd", program).stdout.matchAll(/(?:^\s*|=> )(\/\S+)/gm))
      copy(library, join(root, library));
  }
  writeFileSync(join(root, "etc/passwd"), "root:x:0:0::/:/bin/sh\n");
  const archive = join(folder, "root.tar");
  run("tar", "-C", root, "-cf", archive, ".");
  const imported = run(engine, "import", archive, name);
  let problem = imported.stderr;
  for (const [index, settings] of imported.status === 0 ? SETTINGS.entries() : []) {
    if (settings) {
      process.env["CONTAINERS_CONF"] = join(folder, `${index}.conf`);
      writeFileSync(process.env["CONTAINERS_CONF"], settings);
    }
    const tried = run(engine, "run", "--rm", "--network=none", "--memory=100m", name, "node", "--version");
    if (tried.status === 0) return { name, remove };
    problem = tried.stderr;
  }
  remove();
  return problem.trim();
}

const which = (program: string) => spawnSync("which", [program], { encoding: "utf8" }).stdout.trim();

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  // Follows links. `cpSync` does not in all versions of Node.js: version 22 takes them for folders.
  copyFileSync(from, to);
}
