/** HAProxy before the nodes of a test, configured as in `deploy/haproxy`. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pause } from "../pause.ts";

/** Options of {@link startHaproxy}. */
export interface HaproxyOptions {
  readonly program: string;
  /** For its configuration. */
  readonly folder: string;
  readonly port: number;
  /** Ports of the nodes, whether they run or not. */
  readonly nodes: readonly number[];
}

/** Starts it, waits until a node is ready, and returns a function that stops it. */
export async function startHaproxy({
  program,
  folder,
  port,
  nodes,
}: HaproxyOptions): Promise<() => Promise<void>> {
  const file = join(folder, "haproxy.cfg");
  const host = `127.0.0.1:${port}`;
  writeFileSync(
    file,
    `defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout tunnel 1h
  timeout check 1s
  retries 3
  retry-on conn-failure
  option redispatch 1
frontend pages
  bind ${host}
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk
  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host "${host}"
  http-check expect status 200 error-status L7OKC
  default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map((at, n) => `  server node-${n} 127.0.0.1:${at}`).join("\n")}
`,
  );
  // It reports every node that a test stops.
  const child: ChildProcess = spawn(program, ["-f", file], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-4000);
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  for (let attempt = 0; attempt < 300 && child.exitCode === null; attempt++) {
    const isReady = await fetch(`http://${host}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return stop;
    await pause(100);
  }
  await stop();
  throw new Error(`HAProxy found no node that is ready: ${said}`);
}
