import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { safeFetch } from "../safe-fetch.js";
import type { SecretStore } from "../secrets/secrets.js";
import type { RemoteSettings } from "../settings.js";
import { OAuthSessions } from "./sessions.js";

export function oauthSessionsExample(secrets: SecretStore, settings: RemoteSettings, origin: string) {
  //#region oauthSessions
  const sessions = new OAuthSessions({
    secrets,
    redirectUrl: () => `${origin}/oauth/callback`,
    // Without the server's own headers, which its authorization server must not get.
    fetch: ({ url, privateNetwork }) =>
      safeFetch({ url, privateNetwork, message: 1_000_000, timeout: 30_000 }).fetch,
  });
  const session = sessions.for("ana", "mail", settings);
  const transport = new StreamableHTTPClientTransport(new URL(settings.url), {
    authProvider: session.provider,
    fetch: session.watch(fetch),
  });
  // After a rejected request, the user signs in at `session.authorizeUrl`. Then the browser returns:
  const callback = (query: URLSearchParams, user: string) => sessions.authorized(query, user);
  //#endregion oauthSessions
  return { transport, callback };
}
