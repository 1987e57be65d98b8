/**
 * Addresses under which a client reads the resources of several servers, without collisions.
 *
 * @module
 */

/** Address prefix of open apps. */
export const APPS = "vitrine://apps/";
const OTHERS = "vitrine://servers/";
const UI = "ui://";

/**
 * The address of a server's resource. `ui://a/b` of the server `shop` becomes `ui://shop/a/b`; a web address
 * stays the same; anything else becomes `vitrine://servers/shop/` with the encoded address. {@link
 * readAddress} reverses it.
 *
 * @example
 * ```ts source="./companion.examples.ts#addressOf"
 * const uri = addressOf("shop", "ui://cart/app.html");
 * // uri is "ui://shop/cart/app.html"
 * const { server, uri: own } = readAddress(uri) ?? {};
 * // server is "shop", own is "ui://cart/app.html"
 * ```
 */
export function addressOf(server: string, uri: string): string {
  if (uri.startsWith(UI)) return `${UI}${server}/${uri.slice(UI.length)}`;
  if (/^https?:/i.test(uri)) return uri;
  return `${OTHERS}${server}/${encodeURIComponent(uri)}`;
}

/**
 * The server and its own address of a resource; undefined for an address that {@link addressOf} never
 * creates.
 */
export function readAddress(address: string): { server: string; uri: string } | undefined {
  const start = [UI, OTHERS].find((each) => address.startsWith(each));
  if (start === undefined) return undefined;
  const slash = address.indexOf("/", start.length);
  if (slash < 0) return undefined;
  const server = address.slice(start.length, slash);
  const rest = address.slice(slash + 1);
  if (server === "" || rest === "") return undefined;
  if (start === UI) return { server, uri: `${UI}${rest}` };
  try {
    return { server, uri: decodeURIComponent(rest) };
  } catch {
    return undefined;
  }
}

/** The address of an app, open or closed. */
export const appAddress = (app: number): string => `${APPS}${app}`;

/** The number of the app at an address. */
export function readAppAddress(address: string): number | undefined {
  const [, digits] = /^vitrine:\/\/apps\/(\d{1,9})$/.exec(address) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
