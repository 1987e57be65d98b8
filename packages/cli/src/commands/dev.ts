/**
 * `vitrine dev`: the workbench on the user's servers, which restart when their files change.
 *
 * @module
 */
import {
  type GatewaySettings,
  type RunningGateway,
  type SettingsWatch,
  type SetupHost,
  startGateway,
  untilStopped,
  type WatchSettingsOptions,
  watchSettings,
} from "@vitrine/gateway";
import { RELOADS_VARIABLE } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import { personalOptions, skippedText } from "../config.js";
import { type Surroundings, surroundings } from "../config-places.js";
import { type DevLog, devLog } from "../dev-log.js";
import { type DevServerOptions, devSettings } from "../dev-settings.js";
import { FollowedFiles } from "../followed-files.js";
import { freePorts } from "../free-ports.js";
import { openBrowser } from "../open-browser.js";
import { pageFolder } from "../pages.js";
import { ServerWatches } from "../server-watches.js";
import { terminalSetup } from "../setup/terminal-setup.js";
import { interruptible } from "../signals.js";
import { oneLine, type Terminal } from "../terminal.js";
import { FileTrust } from "../trust/file-trust.js";

/** Options of {@link devCommand}. */
export interface DevOptions extends DevServerOptions {
  readonly port?: number | undefined;
  /** Open a browser, if the command runs interactively. */
  readonly open?: boolean | undefined;
  /** Restart servers when their files change. */
  readonly watch?: boolean | undefined;
  readonly static?: string | undefined;
  readonly json?: boolean | undefined;
  /** Let programs drive the page and answer for the user. */
  readonly testMode?: boolean | undefined;
}

/** Milliseconds that running calls get at the end. */
const GRACE = 2_000;

/** Runs until it is stopped. Resolves to the exit code. */
export function devCommand(
  names: readonly string[],
  options: DevOptions,
  terminal: Terminal,
): Promise<number> {
  const at = surroundings();
  return interruptible(async (signal) => {
    const folder = await pageFolder(options.static);
    const told = new Set<string>();
    const tell = (sentence: string): void => {
      if (!told.has(sentence)) terminal.note(terminal.dim(sentence, "err"));
      told.add(sentence);
    };
    const trust = new FileTrust({ terminal, at, data: options.data, signal });
    const plan = await devSettings(names, following(options), at, trust, tell);
    const news = devLog(terminal);
    const { log } = news;
    const followed = new FollowedFiles();
    let follow = async (_name: string, _isNew: boolean): Promise<void> => {};
    const setup = terminalSetup({
      file: plan.target,
      terminal,
      at,
      trust,
      needsApproval: plan.approve !== undefined,
      isOpen: !options.strict,
      signal,
      reading: personalOptions(options, at, plan.target),
      written: (_text, name, isNew) => follow(name, isNew),
    });
    const { gateway, settings } = await start(plan.settings, folder, options, terminal, setup, {
      ...news,
      status: (status) => {
        followed.learn(status);
        news.status(status);
      },
    });
    const watches = new ServerWatches({
      gateway,
      cwd: at.cwd,
      isFollowed: (name, file) => followed.has(name, file),
      onrestart: (name, file) => {
        terminal.note(`${terminal.dim(name, "err")}  ${oneLine(file)} changed: restarting`);
        news.again(name);
      },
      onerror: (name, error) => terminal.note(terminal.red(`${name}: ${String(error)}`, "err")),
    });
    const watchServers = async ({ servers }: GatewaySettings): Promise<void> => {
      if (options.watch !== false) await watches.update(servers.values());
    };
    const take = (read: GatewaySettings): Promise<void> => {
      const changed = plan.again(read);
      const { servers, policy, strict, audit, model } = changed;
      // The command line decides the rest.
      gateway.update({ ...settings, servers, policy, strict, audit, model });
      return watchServers(changed);
    };
    let file: SettingsWatch | undefined;
    let code = 0;
    const watchFile = async (path: string): Promise<SettingsWatch> =>
      (file = await watchSettings(path, take, {
        ...watchOptions(path, at, options, terminal, tell),
        approve: plan.approve,
      }));
    follow = async (name, isNew) => {
      if (isNew) plan.include(name);
      if (file) return file.reload();
      // The first server of a file that did not exist.
      const { current } = await watchFile(plan.target);
      await take(current);
    };
    try {
      if (plan.file !== undefined) await watchFile(plan.file);
      await watchServers(settings);
      await welcome(options.demos ? gateway : inspected(gateway), settings, options, at, terminal);
      code = await untilStopped(log, signal);
      terminal.note(terminal.dim("stopping…", "err"));
      return code;
    } finally {
      file?.close();
      watches.close();
      // After an internal error, do not wait.
      await gateway.close(code === 0 ? GRACE : 0);
    }
  });
}

/** Asks servers that can watch their own files to do so. */
const following = (options: DevOptions): DevOptions =>
  options.watch === false ? options : { ...options, env: [`${RELOADS_VARIABLE}=1`, ...(options.env ?? [])] };

const watchOptions = (
  file: string,
  at: Surroundings,
  options: DevOptions,
  terminal: Terminal,
  tell: (sentence: string) => void,
): WatchSettingsOptions => ({
  ...personalOptions(options, at, file),
  onskip: (skipped) => tell(skippedText(skipped)),
  onerror: ({ message }) => terminal.note(terminal.red(message, "err")),
});

/**
 * Starts the gateway for this user only: users, addresses and origins in the file are for `vitrine serve`.
 */
async function start(
  read: GatewaySettings,
  folder: string,
  options: DevOptions,
  terminal: Terminal,
  setup: SetupHost,
  { log, status, stderr }: DevLog,
): Promise<{ gateway: RunningGateway; settings: GatewaySettings }> {
  const waiting = terminal.waiting("starting");
  try {
    const { page, apps } = await freePorts(options.port, read.listen.port);
    const settings: GatewaySettings = {
      ...read,
      listen: { host: "127.0.0.1", port: page, users: [] },
      sandbox: { port: apps, publicSuffix: false, console: true },
    };
    const { testMode } = options;
    const more = { log, onstatus: status, onstderr: stderr, static: { folder }, testMode, setup };
    const gateway = await startGateway(settings, more).catch((error: unknown) => {
      const isInUse = error instanceof GatewayError && error.data["inUse"] === true;
      if (!isInUse || options.database !== undefined) throw error;
      terminal.note(
        "another Vitrine uses the database: consents and records of this run are lost at the end",
      );
      return startGateway({ ...settings, database: "sqlite::memory:" }, more);
    });
    return { gateway, settings };
  } finally {
    waiting.end();
  }
}

/** A gateway whose page also shows what happens under the hood: for people who work on a server. The demos are to be used. */
const inspected = (gateway: RunningGateway): Pick<RunningGateway, "loginUrl" | "origin"> => ({
  origin: gateway.origin,
  loginUrl: (user, link) => gateway.loginUrl(user, { ...link, fragment: "inspect" }),
});

/** Prints the address, and opens it. */
async function welcome(
  gateway: Pick<RunningGateway, "loginUrl" | "origin">,
  { servers }: GatewaySettings,
  options: DevOptions,
  at: Surroundings,
  terminal: Terminal,
): Promise<void> {
  // To stdout, and never to a log: the link signs a browser in.
  if (options.json) {
    terminal.json({ url: gateway.loginUrl(), origin: gateway.origin, servers: [...servers.keys()] });
    return;
  }
  terminal.print(`${terminal.bold("Vitrine")} → ${terminal.green(gateway.loginUrl())}`);
  terminal.note(
    terminal.dim(`${[...servers.keys()].join(", ")} · the link signs one browser in · Ctrl-C ends it`, "err"),
  );
  const mayOpen = options.open !== false && terminal.isWatched && !at.env["CI"];
  // A separate link, so that the printed one still works in another browser.
  if (mayOpen) await openBrowser(gateway, at);
}
