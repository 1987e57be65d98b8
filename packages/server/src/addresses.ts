/**
 * Addresses of views: `ui://weather/forecast.3f2a9c1b2d4e.html`. The hash is that of the document, so that whoever keeps a copy
 * knows when it is out of date; without one, or with an old one, a view is found all the same.
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

/** The name and the hash in the last part of an address. */
export function readAddress(last: string): { name: string; hash: string | undefined } {
  const [, name = last, hash] = /^(.*?)\.([0-9a-f]{12})\.html$/.exec(last) ?? [];
  return { name, hash };
}
