/**
 * `vitrine companion`: an MCP server in front of others, for agents without a screen.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { type GatewaySettings, type RunningGateway, untilStopped, watchSettings } from "@vitrine/gateway";
import type { ServerStatus } from "@vitrine/servers";
import { Companion } from "../companion/companion.js";
import { GatewayHost } from "../companion/gateway-host.js";
import { serveByStdio } from "../companion/serve-stdio.js";
import type { RunningService } from "../companion/serving.js";
import { startForCompanion } from "../companion/start.js";
import { personalOptions, skippedText } from "../config.js";
import { type Surroundings, surroundings } from "../config-places.js";
import { devLog } from "../dev-log.js";
import { type DevServerOptions, type DevSettings, devSettings } from "../dev-settings.js";
import { CliError, usage } from "../exit.js";
import { openBrowser } from "../open-browser.js";
import { pageFolder } from "../pages.js";
import { interruptible } from "../signals.js";
import type { Terminal } from "../terminal.js";
import { FileTrust } from "../trust/file-trust.js";

/** Options of {@link companionCommand}. */
export interface CompanionOptions extends DevServerOptions {
  /** Serve Streamable HTTP instead of stdio; `true` uses the default port. */
  readonly http?: number | true | undefined;
  /** Port of the workbench. */
  readonly port?: number | undefined;
  /** Open a browser when an app is first shown. */
  readonly open?: boolean | undefined;
  readonly static?: string | undefined;
  readonly json?: boolean | undefined;
}

/** The HTTP port. It stays the same, because agents have it in their settings. */
const HTTP_PORT = 8190;
/** A fixed HTTP token, instead of a new one for each start. */
const TOKEN_VARIABLE = "VITRINE_COMPANION_TOKEN";
/** Set for programs that a companion starts: a companion of itself would start itself forever. */
const WITHIN_VARIABLE = "VITRINE_COMPANION";
/** Milliseconds that running calls get at the end. */
const GRACE = 2_000;
/** The only user. */
const USER = "local";

/** Runs until its client disconnects or it is stopped. Resolves to the exit code. */
export function companionCommand(
  names: readonly string[],
  options: CompanionOptions,
  terminal: Terminal,
): Promise<number> {
  const at = surroundings();
  if (at.env[WITHIN_VARIABLE]) {
    const message = `the companion cannot run in front of itself: remove it from the settings file that it reads, or name the servers: vitrine companion <server>`;
    throw new CliError("companion-within", message);
  }
  const token = tokenOf(at);
  return interruptible(async (signal) => {
    const folder = await pageFolder(options.static);
    const told = new Set<string>();
    // Only messages go to stdout.
    const tell = (sentence: string): void => {
      if (!told.has(sentence)) terminal.note(terminal.dim(sentence, "err"));
      told.add(sentence);
    };
    const own = { ...options, env: [...(options.env ?? []), `${WITHIN_VARIABLE}=1`] };
    const trust = new FileTrust({ terminal, at, data: options.data, signal });
    const plan = await devSettings(names, own, at, trust, tell);
    const news = devLog(terminal);
    let host: GatewayHost | undefined;
    const onstatus = (status: ServerStatus): void => {
      news.status(status);
      if (status.state === "ready") host?.serverChanged(status.name);
    };
    const more = {
      log: news.log,
      onstatus,
      onstderr: news.stderr,
      static: { folder },
      onchange: (server: string): void => host?.serverChanged(server),
    };
    const { gateway, settings } = await startForCompanion(plan.settings, more, { ...options, onnote: tell });
    const closing: (() => unknown)[] = [];
    let code = 0;
    try {
      const onerror = (error: unknown): void => terminal.note(terminal.red(String(error), "err"));
      const opened = await GatewayHost.open({
        gateway,
        user: USER,
        open: (link) => openPage(gateway, link, options, at),
        onerror,
      });
      host = opened;
      const companion = new Companion(opened, onerror);
      closing.push(
        () => companion.close(),
        () => opened.close(),
      );
      if (plan.file !== undefined) {
        const take = following(plan, settings, gateway, opened);
        const file = await watchSettings(plan.file, take, {
          ...personalOptions(own, at, plan.file),
          approve: plan.approve,
          onskip: (skipped) => tell(skippedText(skipped)),
          onerror: ({ message }) => terminal.note(terminal.red(message, "err")),
        });
        closing.push(() => file.close());
      }
      const { serving, ended } = await serve(companion, options, token, terminal);
      closing.unshift(() => serving.close());
      welcome(opened, [...settings.servers.keys()], terminal);
      code = await Promise.race([untilStopped(news.log, signal), ended.then(() => 0)]);
      return code;
    } finally {
      try {
        for (const close of closing) await close();
      } finally {
        // After an internal error, do not wait.
        await gateway.close(code === 0 ? GRACE : 0);
      }
    }
  });
}

/** Serves as the command line says; `ended` resolves when the client is gone. */
async function serve(
  companion: Companion,
  { http, json }: CompanionOptions,
  token: string | undefined,
  terminal: Terminal,
): Promise<{ serving: RunningService; ended: Promise<unknown> }> {
  const onerror = ({ message }: Error): void => terminal.note(terminal.dim(message, "err"));
  if (http === undefined) {
    const serving = serveByStdio(companion, { onerror });
    return { serving, ended: serving.ended };
  }
  const { serveByHttp } = await import("../companion/serve-http.js");
  const secret = token ?? randomBytes(24).toString("base64url");
  const port = http === true ? HTTP_PORT : http;
  const serving = await serveByHttp(companion, { port, token: secret, onerror });
  // To stdout, and never to a log: the token grants access.
  const shown = token === undefined ? secret : undefined;
  if (json) terminal.json({ url: serving.url, ...(shown !== undefined && { token: shown }) });
  else {
    terminal.print(`${terminal.bold("Vitrine companion")} → ${terminal.green(serving.url)}`);
    terminal.print(`Authorization: Bearer ${shown ?? `(as in ${TOKEN_VARIABLE})`}`);
  }
  return { serving, ended: new Promise(() => {}) };
}

/**
 * To stderr, because in stdio mode stdout is only for messages. The link is for the user, and never logged.
 */
function welcome(host: GatewayHost, servers: readonly string[], terminal: Terminal): void {
  terminal.note(`apps are shown at ${terminal.green(host.link, "err")}`);
  terminal.note(terminal.dim(`${servers.join(", ")} · the link signs one browser in`, "err"));
}

/** Opens the user's browser, if there is one. */
async function openPage(
  gateway: RunningGateway,
  { fragment }: { fragment: string },
  options: CompanionOptions,
  at: Surroundings,
): Promise<boolean> {
  if (options.open === false || at.env["CI"]) return false;
  const loginUrl: RunningGateway["loginUrl"] = (user, link) => {
    const more = { ...link, fragment };
    return gateway.loginUrl(user, more);
  };
  return openBrowser({ loginUrl }, at);
}

/** Adds, changes and removes servers with the settings file. */
function following(
  plan: DevSettings,
  settings: GatewaySettings,
  gateway: RunningGateway,
  host: GatewayHost,
): (read: GatewaySettings) => void {
  return (read) => {
    const before = host.servers;
    const { servers, policy, strict, audit } = plan.again(read);
    // The command line decides the rest.
    gateway.update({ ...settings, servers, policy, strict, audit });
    for (const server of new Set([...before, ...host.servers])) host.serverChanged(server);
  };
}

/** The user's own token. A short one could be guessed. */
function tokenOf(at: Surroundings): string | undefined {
  const token = at.env[TOKEN_VARIABLE];
  if (!token) return undefined;
  if (/^[\x21-\x7e]{24,}$/.test(token)) return token;
  throw usage(`${TOKEN_VARIABLE} needs 24 characters or more, without spaces: try openssl rand -hex 16`);
}
