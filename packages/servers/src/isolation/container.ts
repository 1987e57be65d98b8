/**
 * The driver `container`: runs a server with podman or docker, from an image that the operator chose.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { GatewayError } from "@vitrine/wire";
import { startChild } from "./child.js";
import { grantEntries } from "./grants.js";
import { newInstance } from "./instance.js";
import type { Isolation, Launched, LaunchSpec } from "./isolation.js";
import { findProgram, searchPath } from "./program.js";
import { entrust } from "./watchdog.js";

const run = promisify(execFile);

/** Container engines, in the order in which they are tried. */
export const ENGINES = ["podman", "docker"] as const;
export type EngineName = (typeof ENGINES)[number];

/** An engine that responds. */
export interface ContainerEngine {
  readonly name: EngineName;
  readonly path: string;
}

/** Timeout in milliseconds of an engine command. */
const COMMAND_TIMEOUT = 30_000;
/** Timeout in milliseconds of the first container of an image, which may have to be downloaded. */
const IMAGE_TIMEOUT = 120_000;

/** A program that no image contains. */
const NOWHERE = "/vitrine-tries-this-image";

/** Variables that configure the engine's own program. A server's values must not reach it. */
const OF_THE_ENGINE =
  /^(PATH|HOME|TMPDIR|XDG_.*|DOCKER_.*|CONTAINERS?_.*|BUILDAH_.*|.*_PROXY|LD_.*|SSL_.*|SSH_.*)$/i;

/**
 * Finds the first wanted engine that responds.
 *
 * @throws {GatewayError} `isolation-unavailable`, with the problem of each engine; `data.isInstalled` says
 * whether any engine is installed
 */
export async function findEngine(wanted: readonly EngineName[] = ENGINES): Promise<ContainerEngine> {
  const problems: string[] = [];
  let isInstalled = false;
  for (const name of wanted) {
    const path = await findProgram(name, searchPath({}));
    if (!path) {
      problems.push(`There is no "${name}"`);
      continue;
    }
    isInstalled = true;
    try {
      await run(path, ["info"], { timeout: COMMAND_TIMEOUT });
      return { name, path };
    } catch (error) {
      problems.push(`"${name} info" failed: ${endOf(error)}`);
    }
  }
  throw new GatewayError(
    "isolation-unavailable",
    `No container engine can be used. ${problems.join(". ")}. Install podman or docker, and let the gateway's user use it.`,
    { data: { isInstalled } },
  );
}

/**
 * Tests whether an image can run: an engine that responds may still be unable to run containers. The programs
 * in an image are unknown, so the test runs a program that does not exist. If that is the only error, the
 * engine got as far as starting it.
 *
 * @throws {GatewayError} `isolation-unavailable`, with the engine's own message
 */
export async function tryImage(engine: ContainerEngine, image: string, isolation: Isolation): Promise<void> {
  const name = `vitrine-${newInstance().id}`;
  const spec = { name, command: NOWHERE, args: [], env: {}, isolation: { ...isolation, image } };
  try {
    await run(engine.path, containerArguments(spec, name), {
      env: ownEnvironment(),
      timeout: IMAGE_TIMEOUT,
    });
  } catch (error) {
    if (Object(error).code === 127 && Object(error).stderr.includes(NOWHERE)) return;
    throw new GatewayError(
      "isolation-unavailable",
      `${engine.name} cannot run the image "${image}": ${endOf(error)}. Run "${engine.name} run --rm ${image}" by hand to see more.`,
      { data: { isInstalled: true }, cause: error },
    );
  }
}

/** The end of an engine's output: it may begin with the progress of a long download. */
function endOf(error: unknown): string {
  const said = String(Object(error).stderr ?? "").trim();
  return said.slice(-500) || String(error);
}

/**
 * The engine's arguments for a server. Variables are given by name only; their values are in the environment.
 */
export function containerArguments(spec: LaunchSpec, name: string): string[] {
  const { isolation } = spec;
  const { image } = isolation;
  if (image === undefined) {
    throw new GatewayError(
      "isolation-unavailable",
      `The server "${spec.name}" cannot run in a container: set "image" in its "isolation".`,
    );
  }
  const mounts = [
    ...isolation.read
      .filter((path) => !isolation.write.includes(path))
      .map((path) => ({ path, mode: ",readonly" })),
    ...isolation.write.map((path) => ({ path, mode: "" })),
  ];
  return [
    ...["run", "--rm", "--interactive", `--name=${name}`],
    ...["--read-only", `--network=${isolation.network ? "bridge" : "none"}`],
    ...["--cap-drop=ALL", "--security-opt=no-new-privileges"],
    ...[
      `--memory=${isolation.memory}`,
      `--memory-swap=${isolation.memory}`,
      `--pids-limit=${isolation.processes}`,
    ],
    ...(isolation.cpuSeconds === undefined ? [] : [`--ulimit=cpu=${Math.ceil(isolation.cpuSeconds)}`]),
    `--tmpfs=/tmp:rw,nosuid,nodev,size=${isolation.tmp},mode=1777`,
    // The engine must not write the server's output into a log file.
    "--log-driver=none",
    ...mounts.map(({ path, mode }) => `--mount=type=bind,source=${path},target=${path}${mode}`),
    ...Object.entries(spec.env).map(
      ([key, value]) => `--env=${OF_THE_ENGINE.test(key) ? `${key}=${value}` : key}`,
    ),
    ...(spec.cwd === undefined ? [] : [`--workdir=${spec.cwd}`]),
    ...[`--entrypoint=${spec.command}`, image, ...spec.args],
  ];
}

/** Starts a server in a container. */
export async function launchContainer(spec: LaunchSpec, engine: ContainerEngine): Promise<Launched> {
  const instance = newInstance();
  const name = `vitrine-${instance.id}`;
  const comma = [...spec.isolation.read, ...spec.isolation.write].find((path) => path.includes(","));
  if (comma !== undefined) {
    throw new GatewayError(
      "isolation-unavailable",
      `No container can have "${comma}": its name has a comma.`,
    );
  }
  // Only granted paths are mounted: the program and its folder come from the image.
  await grantEntries({ ...spec, cwd: undefined });
  const args = containerArguments(spec, name);
  const declared = Object.entries(spec.env).filter(([key]) => !OF_THE_ENGINE.test(key));
  const released = entrust(`container ${engine.path} ${name}`);
  const ask = (...words: string[]) => run(engine.path, words, { timeout: COMMAND_TIMEOUT });
  // The container may have ended already. Its removal below must succeed.
  const askToEnd = (signal: string) => ask("kill", `--signal=${signal}`, name).catch(() => undefined);
  return startChild({
    driver: "container",
    name: spec.name,
    instance,
    program: engine.path,
    args,
    // The engine needs its own settings; the server gets only the declared variables.
    env: { ...ownEnvironment(), ...Object.fromEntries(declared) },
    cwd: "/",
    async terminate() {
      await askToEnd("TERM");
    },
    async kill() {
      // Removal alone would first send a signal and wait ten seconds.
      await askToEnd("KILL");
      try {
        await ask("rm", "--force", name);
      } catch (error) {
        if (!/no such container/i.test(String(error))) throw error;
      }
    },
    async cleanUp() {
      released();
    },
  });
}

function ownEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries.filter(([key]) => OF_THE_ENGINE.test(key)));
}
