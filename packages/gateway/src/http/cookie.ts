/**
 * The cookie of a browser that is signed in.
 *
 * @module
 */

/** The name of the cookie. Ports share cookies, so two gateways on one machine need two names. */
export function cookieNameOf(origin: string): string {
  const { protocol, port } = new URL(origin);
  return protocol === "https:" ? "__Host-vitrine" : `vitrine-${port || "80"}`;
}

/** The header that sets the cookie, or takes it away. */
export function setCookie(origin: string, value: string): string {
  const secure = origin.startsWith("https:") ? "; Secure" : "";
  const ends = value === "" ? "; Max-Age=0" : "";
  return `${cookieNameOf(origin)}=${value}; Path=/; HttpOnly; SameSite=Strict${secure}${ends}`;
}

/** Cookies of our name that are tried: other programs on this machine can set some, too. */
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
