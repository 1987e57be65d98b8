/**
 * The cookie of a signed-in browser.
 *
 * @module
 */

/** The name of the cookie. Cookies are shared between ports, so two gateways on a machine need two names. */
export function cookieNameOf(origin: string): string {
  const { protocol, port } = new URL(origin);
  return protocol === "https:" ? "__Host-vitrine" : `vitrine-${port || "80"}`;
}

/** The header that sets or removes the cookie. */
export function setCookie(origin: string, value: string): string {
  const secure = origin.startsWith("https:") ? "; Secure" : "";
  const ends = value === "" ? "; Max-Age=0" : "";
  return `${cookieNameOf(origin)}=${value}; Path=/; HttpOnly; SameSite=Strict${secure}${ends}`;
}

/** Maximum number of cookies of this name to try: other programs on this machine can set some, too. */
const MAX_COOKIES = 8;

/** The values of all cookies of a name. */
export function cookieValues(header: string, name: string): string[] {
  const values: string[] = [];
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) values.push(pair.slice(at + 1).trim());
    if (values.length === MAX_COOKIES) break;
  }
  return values;
}
