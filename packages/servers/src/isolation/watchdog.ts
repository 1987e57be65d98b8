/**
 * Ends the servers of a gateway that was killed. One shell per gateway waits on a pipe that only the gateway
 * holds: the pipe closes when the gateway ends, for whatever reason. The shell then ends every process with
 * the gateway's mark, and exits. It takes about a megabyte of memory; a Node process would take forty.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import { GATEWAY, MARK } from "./instance.js";

/** Something that does not end with its processes, or cannot be found by the mark. */
export type Charge =
  /** A process group. */
  | `group ${number}`
  /** A folder of a control group, removed when it is empty. */
  | `folder ${string}`
  /** A container: the path of the engine, and the container's name. */
  | `container ${string}`;

/**
 * Reads `+ charge` and `- charge` lines. A process between fork and exec has no mark yet, so several scans in
 * a row must find nothing.
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

/**
 * Starts the watchdog, which ends this gateway's servers if the gateway is killed. Call it before starting a
 * process.
 */
export function watch(): void {
  if (watchdog) return;
  const shell = spawn("/bin/sh", ["-c", SCRIPT, "vitrine-watchdog", `${MARK}=${GATEWAY}\\.`], {
    // A session of its own, so that ending the gateway's process group does not end it.
    detached: true,
    cwd: "/",
    // The complete environment, because container engines need their own settings.
    env: process.env,
    stdio: ["pipe", "ignore", "ignore"],
  });
  watchdog = shell;
  const forget = () => {
    if (watchdog === shell) watchdog = undefined;
  };
  // The watchdog was ended: the next server starts another.
  shell.on("error", forget).on("exit", forget);
  shell.stdin.on("error", forget);
  // The watchdog must not keep the gateway running.
  shell.unref();
  if ("unref" in shell.stdin && typeof shell.stdin.unref === "function") shell.stdin.unref();
  for (const charge of charges) shell.stdin.write(`+ ${charge}\n`);
}

/** Registers something for the watchdog to end, before it exists. Returns a function that unregisters it. */
export function entrust(charge: Charge): () => void {
  watch();
  charges.add(charge);
  watchdog?.stdin?.write(`+ ${charge}\n`);
  return () => {
    if (charges.delete(charge)) watchdog?.stdin?.write(`- ${charge}\n`);
  };
}
