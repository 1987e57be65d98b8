/**
 * The gateway of one run: its own servers, database and data folder, so that no run sees another one.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createLog,
  type GatewayOptions,
  type GatewaySettings,
  type RunningGateway,
  startGateway,
} from "@vitrine/gateway";
import { workbenchFolder } from "@vitrine/workbench";
import { CliError } from "../exit.js";
import { unlessAborted } from "../signals.js";
import { withStray } from "../stray-lines.js";

/** The owner of the conversation. */
export const USER = "local";
/** Milliseconds that servers get to exit by themselves. */
const GRACE = 1_000;

/** A gateway whose servers run. */
export interface RunGateway {
  readonly gateway: RunningGateway;
  close(): Promise<void>;
}

/**
 * Starts a gateway with all servers.
 *
 * @throws {CliError} `server-failed` and others of a server
 */
export async function openGateway(
  settings: GatewaySettings,
  answer: NonNullable<GatewayOptions["answer"]>,
  signal: AbortSignal,
  pages: string = workbenchFolder,
): Promise<RunGateway> {
  const dataFolder = await mkdtemp(join(tmpdir(), "vitrine-eval-"));
  let gateway: RunningGateway | undefined;
  const close = async (): Promise<void> => {
    await gateway?.close(signal.aborted ? 0 : GRACE);
    await rm(dataFolder, { recursive: true, force: true });
  };
  try {
    // With its own key file, so that no keyring stores a key for a temporary folder.
    await writeFile(join(dataFolder, "secrets.key"), `${randomBytes(32).toString("base64url")}\n`, {
      mode: 0o600,
    });
    gateway = await startGateway(ofRun(settings, dataFolder), {
      log: createLog({ level: "silent" }),
      static: { folder: pages },
      answer,
    });
    const running = gateway;
    const started = Promise.all([
      running.models.refresh(),
      ...[...settings.servers.keys()].map((name) => startServer(running, name)),
    ]);
    await unlessAborted(signal, started);
    return { gateway, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The same servers and models, for this user alone. */
function ofRun(settings: GatewaySettings, dataFolder: string): GatewaySettings {
  const { listen, sandbox, model } = settings;
  return {
    ...settings,
    dataFolder,
    database: "sqlite::memory:",
    listen: { ...listen, host: "127.0.0.1", port: 0, users: [] },
    sandbox: { ...sandbox, port: 0, publicSuffix: false },
    // The model is asked for nothing but the answers.
    model: { ...model, titles: false },
    log: { ...settings.log, level: "silent" },
  };
}

async function startServer(gateway: RunningGateway, name: string): Promise<void> {
  const { state, problem, garbage } = await gateway.api.start({ user: USER }, name);
  if (state === "ready") return;
  const { code = "server-failed", message = `${name} does not start`, stderr } = problem ?? {};
  throw new CliError(code, withStray(message, garbage), { stderr });
}
