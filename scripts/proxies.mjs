/**
 * Provides HAProxy and nginx for the tests of their configurations: installs Debian's packages if there are none and this
 * runs as root. Without them those tests are skipped, and say so.
 *
 * As a command: `node scripts/proxies.mjs` prints which ones are installed.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { installPackage } from "./apt.mjs";

/** Debian puts programs of root where users do not look. */
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };

/** The path of an installed program; undefined if there is none. */
function find(program) {
  const { status, stdout } = spawnSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8", env });
  return status === 0 ? stdout.trim() : undefined;
}

export const findHaproxy = () => find("haproxy");
export const findNginx = () => find("nginx");

/** The paths of HAProxy and nginx; installs what is missing where it can. */
export function ensureProxies() {
  const haproxy = findHaproxy() ?? (installPackage("haproxy") ? findHaproxy() : undefined);
  const nginx = findNginx() ?? (installPackage("nginx-light") ? findNginx() : undefined);
  return haproxy && nginx ? `${haproxy}, ${nginx}` : undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = ensureProxies();
  console.log(found ?? "Not both of HAProxy and nginx: install the packages haproxy and nginx-light.");
  process.exitCode = found ? 0 : 1;
}
