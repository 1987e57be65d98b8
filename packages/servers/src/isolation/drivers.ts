/**
 * Finds the drivers that work on this machine, by using each of them once.
 *
 * @module
 */
import { GatewayError } from "@vitrine/wire";
import { launchWith } from "./bubblewrap.js";
import { bubblewrapTools } from "./bubblewrap-tools.js";
import { type ContainerEngine, type EngineName, findEngine, tryImage } from "./container.js";
import type { DriverName, DriverReport, Isolation } from "./isolation.js";

/** Limits that suffice for a program that does nothing. */
const LITTLE: Isolation = {
  driver: "bubblewrap",
  network: false,
  read: [],
  write: [],
  memory: 2 ** 28,
  processes: 16,
  tmp: 2 ** 20,
};

const engines = new Map<string, Promise<ContainerEngine>>();
/** Results by engine and image. */
const images = new Map<string, Promise<void>>();
let bubblewrap: Promise<DriverReport> | undefined;

/** The engine for a server. Throws if no engine responds. */
export const engineFor = (name?: EngineName): Promise<ContainerEngine> =>
  once(engines, name ?? "", () => findEngine(name && [name]));

/** Whether a driver works; for a container with an image, whether that image runs. */
export async function probeDriver(
  driver: DriverName,
  { engine: name, image }: Pick<Isolation, "engine" | "image"> = {},
): Promise<DriverReport> {
  if (driver === "process") return { works: true, detail: "no sandbox; limits memory by measuring it" };
  if (driver === "bubblewrap") return (bubblewrap ??= tryBubblewrap());
  try {
    const engine = await engineFor(name);
    if (image === undefined) return { works: true, detail: `${engine.path}; tried with each image` };
    await once(images, `${engine.path} ${image}`, () => tryImage(engine, image, LITTLE));
    return { works: true, detail: engine.path };
  } catch (error) {
    const isBroken = error instanceof GatewayError && error.data["isInstalled"] === true;
    return { works: false, reason: messageOf(error), isBroken };
  }
}

/** Caches success. A failure is not cached, because the cause may be fixed meanwhile. */
function once<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const made = known.get(key) ?? make();
  known.set(key, made);
  made.catch(() => known.delete(key));
  return made;
}

/**
 * Which drivers work, and why the others do not.
 *
 * @example
 * ```ts source="./isolation.examples.ts#probeDrivers"
 * for (const [driver, report] of Object.entries(await probeDrivers())) {
 *   show(`${driver}: ${report.works ? report.detail : report.reason}`);
 * }
 * ```
 */
export async function probeDrivers(): Promise<Record<DriverName, DriverReport>> {
  const [process, bubblewrap, container] = await Promise.all([
    probeDriver("process"),
    probeDriver("bubblewrap"),
    probeDriver("container"),
  ]);
  return { process, bubblewrap, container };
}

async function tryBubblewrap(): Promise<DriverReport> {
  try {
    const tools = await bubblewrapTools();
    const launched = await launchWith(tools, {
      name: "probe",
      command: "true",
      args: [],
      env: {},
      isolation: LITTLE,
    });
    let said = "";
    launched.stderr.setEncoding("utf8").on("data", (text: string) => (said += text.slice(0, 1000)));
    launched.stdout.resume();
    const { code, signal } = await launched.exited;
    await launched.stop(0);
    if (code !== 0)
      return { works: false, reason: explain(said.trim() || `It ended with ${code ?? signal}.`) };
    const { cgroup } = tools;
    const memory = cgroup ? `by cgroup v${cgroup.version}` : "by measuring it";
    return { works: true, detail: `limits memory ${memory}` };
  } catch (error) {
    return { works: false, reason: messageOf(error) };
  }
}

function explain(said: string): string {
  const advice = /unknown option/i.test(said)
    ? "Install bubblewrap 0.8 or later."
    : /namespace|permitted|permission/i.test(said)
      ? "Allow user namespaces to ordinary users: kernel.unprivileged_userns_clone=1 on Debian, an AppArmor profile for bwrap on Ubuntu, or --security-opt seccomp=unconfined for the container that the gateway runs in."
      : "Run bwrap by hand to see more.";
  return `bubblewrap cannot be used: ${said}. ${advice}`;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
