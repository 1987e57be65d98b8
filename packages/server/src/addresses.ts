/**
 * Addresses of views: `ui://weather/forecast.3f2a9c1b2d4e.html`. The hash is the document's, so a client with
 * a cached copy knows when it is out of date. An address without a hash, or with an old one, still works.
 *
 * @module
 */

/** The server's part of an address. */
export const placeOf = (serverName: string): string =>
  serverName
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, "-")
    .replace(/^[-.]+|[-.]+$/g, "") || "server";

/** The address of a view's document. */
export const addressOf = (place: string, view: string, hash: string): string =>
  `ui://${place}/${view}.${hash}.html`;

/** Splits the last part of an address into name and hash. */
export function readAddress(last: string): { name: string; hash: string | undefined } {
  const [, name = last, hash] = /^(.*?)\.([0-9a-f]{12})\.html$/.exec(last) ?? [];
  return { name, hash };
}
