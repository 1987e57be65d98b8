/**
 * Secrets in the settings of a remote server.
 *
 * @module
 */
import type { RemoteSettings } from "../settings.js";

/** Secrets that the operator has written. An address may hold some in its path and query. */
export function secretsIn({
  clientSecret,
  enterprise,
  url,
  hasSecretUrl,
  headers,
}: RemoteSettings): string[] {
  const { pathname, search, searchParams } = new URL(url);
  return [
    clientSecret,
    enterprise?.clientSecret,
    enterprise?.idToken,
    ...Object.values(headers),
    ...(hasSecretUrl
      ? [search.slice(1), ...searchParams.values(), pathname.slice(1), ...pathname.split("/")]
      : []),
  ].filter((secret) => secret !== undefined);
}
