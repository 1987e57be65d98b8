/**
 * Parses how users sign in to a server.
 *
 * @module
 */
import { type EnterpriseSettings, isLoopbackHost } from "@vitrine/servers";
import { type PathBases, path } from "./isolation-settings.js";
import { either, flag, object, type Spot, type ValueReader } from "./reader.js";

/** `true`, `false`, or an object. */
export const oauth = (bases: PathBases, string: ValueReader<string>) =>
  either(
    (written) => typeof written === "boolean",
    flag,
    object({
      clientId: string,
      clientSecret: string,
      scope: string,
      issuer: string,
      clientMetadataUrl: documentAddress(string),
      enterprise: object({
        tokenEndpoint: tokenAddress(string),
        clientId: string,
        clientSecret: string,
        idToken: string,
        idTokenFile: path(bases, string),
      }),
    }),
  );

/** The written parts of `oauth.enterprise`. */
type WrittenEnterprise = { [K in keyof EnterpriseSettings]?: EnterpriseSettings[K] | undefined };

/**
 * Completes the parts.
 *
 * @param users the number of users in the settings; 0 for a single user without a name
 */
export function enterpriseOf(
  { tokenEndpoint, clientId, ...others }: WrittenEnterprise,
  oauthSettings: { clientId?: string | undefined; issuer?: string | undefined },
  users: number,
  spot: Spot,
): EnterpriseSettings | undefined {
  const { idToken, idTokenFile } = others;
  if (!tokenEndpoint) return spot.wrong("has no tokenEndpoint", "add that of the identity provider");
  if (!clientId) return spot.wrong("has no clientId", "add the client at the identity provider");
  if (!oauthSettings.clientId || !oauthSettings.issuer)
    return spot.wrong(
      "needs oauth.clientId and oauth.issuer",
      "add the client and the issuer of the server's own authorization server",
    );
  if ((idToken === undefined) === (idTokenFile === undefined))
    return spot.wrong("needs either idToken or idTokenFile", "add exactly one of them");
  if (idToken !== undefined && users > 0)
    return spot
      .at("idToken")
      .wrong("all users would act as one", 'use idTokenFile, with "{user}" in its path');
  if (idTokenFile !== undefined && users > 1 && !idTokenFile.includes("{user}"))
    return spot.at("idTokenFile").wrong("all users would act as one", 'write "{user}" in its path');
  return { tokenEndpoint, clientId, ...others };
}

const tokenAddress =
  (string: ValueReader<string>): ValueReader<string> =>
  (value, spot) => {
    const written = string(value, spot);
    if (written === undefined) return undefined;
    const url = URL.canParse(written) ? new URL(written) : undefined;
    return url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackHost(url.hostname))
      ? written
      : spot.wrong("must be https, or an address of this machine", "begin it with https://");
  };

const documentAddress =
  (string: ValueReader<string>): ValueReader<string> =>
  (value, spot) => {
    const written = string(value, spot);
    if (written === undefined) return undefined;
    const url = URL.canParse(written) ? new URL(written) : undefined;
    return url?.protocol === "https:" && url.pathname !== "/"
      ? written
      : spot.wrong("must be an https address with a path", "write it like https://example.com/client.json");
  };
