/**
 * The target of an address.
 *
 * @module
 */

/** The host of an address that a browser may open; undefined for any other. */
export function hostOf(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, host } = new URL(address);
  return (protocol === "https:" || protocol === "http:") && host !== "" ? host : undefined;
}
