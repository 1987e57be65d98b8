/**
 * Requests of a user about the sign-in at a server.
 *
 * @module
 */
import type { OAuthSession, RemoteSettings } from "@vitrine/servers";
import {
  GatewayError,
  type ServerReference,
  type ServerSummary,
  type SignInRequests,
  type SignInState,
} from "@vitrine/wire";
import type { GuardedServer } from "../guard/guarded-servers.js";
import type { PageAnswer } from "./page-params.js";

/** Options of the requests. */
export interface PageSignInOptions {
  readonly user: string;
  /** @throws {GatewayError} `server-unknown`, `server-replaced` */
  server(name: string, identity?: string): GuardedServer;
  /** The user's own session at a server; undefined if nobody signs in to it. */
  oauthSession(name: string, settings: RemoteSettings): OAuthSession | undefined;
  start(name: string): Promise<ServerSummary>;
  restart(name: string): Promise<ServerSummary>;
  /** Records an action of the user. */
  markSignIn(server: { name: string; identity: string }, method: string): Promise<void>;
}

type SignInMethod = keyof SignInRequests;

/** Handlers of the requests. */
export const SIGN_IN_HANDLERS: {
  readonly [M in SignInMethod]: (page: PageSignInOptions, at: ServerReference) => PageAnswer<M>;
} = {
  "gateway/sign-in": async (page, at) => {
    const { server, session } = sessionAt(page, at);
    return session ? session.state() : noSession(server.settings.transport);
  },
  "gateway/sign-in-start": (page, at) =>
    act(page, at, "gateway/sign-in-start", async (session, server) => {
      const { status, settings } = server;
      if (status.state === "idle") {
        // A server that has not been asked yet says best what it needs.
        const { state } = await page.start(settings.name);
        if (session.authorizeUrl !== undefined || (session.isManaged && state === "ready")) return;
      }
      await session.signIn();
    }),
  "gateway/sign-in-refresh": (page, at) =>
    act(page, at, "gateway/sign-in-refresh", (session) => session.refresh()),
  "gateway/sign-in-forget": (page, at) =>
    act(page, at, "gateway/sign-in-forget", async (session, { status }) => {
      await session.signOut();
      // The open connection belongs to the forgotten user. If it cannot be replaced now, its next request is refused.
      if (status.starts > 0) await page.restart(at.server).catch(() => undefined);
    }),
};

async function act(
  page: PageSignInOptions,
  at: ServerReference,
  method: SignInMethod,
  action: (session: OAuthSession, server: GuardedServer["server"]) => Promise<void>,
): Promise<SignInState> {
  const { server, session } = sessionAt(page, at);
  const { name, identity } = server.settings;
  if (!session) throw new GatewayError("server-unauthorized", `nobody signs in to the server "${name}"`);
  await page.markSignIn({ name, identity }, method);
  await action(session, server);
  return session.state();
}

function sessionAt(
  page: PageSignInOptions,
  { server: name, identity }: ServerReference,
): { server: GuardedServer["server"]; session: OAuthSession | undefined } {
  const { server } = page.server(name, identity);
  const { transport } = server.settings;
  return {
    server,
    session: transport.type === "stdio" ? undefined : page.oauthSession(name, transport),
  };
}

/** The state of a server that nobody signs in to. */
function noSession(transport: GuardedServer["server"]["settings"]["transport"]): SignInState {
  const hasHeader =
    transport.type !== "stdio" &&
    Object.keys(transport.headers).some((name) => name.toLowerCase() === "authorization");
  const way = transport.type === "stdio" ? "program" : hasHeader ? "settings" : "off";
  return { way, now: Date.now(), attempts: [] };
}
