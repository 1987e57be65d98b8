/**
 * Ends the servers of a gateway that was killed. One shell per gateway waits at a pipe that only the gateway holds:
 * when the pipe ends, so has the gateway, however that came. The shell ends everything that carries the gateway's
 * mark, and then itself. It takes about a megabyte; a Node process would take forty.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import { GATEWAY, MARK } from "./instance.js";

/** What does not end with its processes, or cannot be found by the mark. */
export type Charge =
  /** A process group. */
  | `group ${number}`
  /** A folder of a control group, removed when it is empty. */
  | `folder ${string}`
  /** A container: the path of the engine, and the container's name. */
  | `container ${string}`;

/**
 * `+ charge` and `- charge` come in as lines. A process may be between fork and exec, where it has no mark yet, so
 * nothing must be found several times in a row.
 */
const SCRIPT = `
trap '' HUP INT TERM QUIT PIPE
mark=$1
newline='
'
charges=$newline
while read -r sign charge; do
  case $sign in
    +) charges=$charges$charge$newline ;;
    -) case $charges in
         *"$newline$charge$newline"*)
           charges=\${charges%%"$newline$charge$newline"*}$newline\${charges#*"$newline$charge$newline"} ;;
       esac ;;
  esac
done
each() {
  printf '%s' "$charges" | while read -r kind what; do
    if [ "$kind" = "$1" ]; then "$2" $what; fi
  done
}
end_group() { kill -9 -- "-$1"; }
end_folder() {
  tries=0
  while [ -d "$1" ] && [ "$tries" -lt 100 ]; do
    tries=$((tries + 1))
    rmdir "$1" || sleep 0.05
  done
}
end_container() { "$1" kill --signal=KILL "$2"; "$1" rm --force "$2"; }
each group end_group
each container end_container
calm=0
rounds=0
while [ "$calm" -lt 4 ] && [ "$rounds" -lt 200 ]; do
  calm=$((calm + 1))
  rounds=$((rounds + 1))
  for file in $(grep -lsz -e "^$mark" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -9 "\${pid%/environ}" && calm=0
  done
  sleep 0.05
done
each folder end_folder
`;

let watchdog: ChildProcess | undefined;
const charges = new Set<Charge>();

/** Makes sure that somebody ends this gateway's servers if it is killed. Call it before a process is started. */
export function watch(): void {
  if (watchdog) return;
  const shell = spawn("/bin/sh", ["-c", SCRIPT, "vitrine-watchdog", `${MARK}=${GATEWAY}\\.`], {
    // A session of its own: what ends the gateway's group must not end this.
    detached: true,
    cwd: "/",
    // All of it: a container engine needs its own settings.
    env: process.env,
    stdio: ["pipe", "ignore", "ignore"],
  });
  watchdog = shell;
  const forget = () => {
    if (watchdog === shell) watchdog = undefined;
  };
  // Somebody ended it: the next server starts another.
  shell.on("error", forget).on("exit", forget);
  shell.stdin.on("error", forget);
  // The gateway may end while it waits.
  shell.unref();
  if ("unref" in shell.stdin && typeof shell.stdin.unref === "function") shell.stdin.unref();
  for (const charge of charges) shell.stdin.write(`+ ${charge}\n`);
}

/** Tells the watchdog what there is to end, before it is there; returns how to say that it has ended. */
export function entrust(charge: Charge): () => void {
  watch();
  charges.add(charge);
  watchdog?.stdin?.write(`+ ${charge}\n`);
  return () => {
    if (charges.delete(charge)) watchdog?.stdin?.write(`- ${charge}\n`);
  };
}
