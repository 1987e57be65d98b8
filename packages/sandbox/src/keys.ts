/**
 * Labels and signatures, which only the sandbox and its host side can create.
 *
 * @module
 */
const utf8 = new TextEncoder();
/** Lower-case letters and digits for host names, without easily confused ones. */
const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** Creates labels and signatures with one secret. */
export class Keys {
  readonly #key: Promise<CryptoKey>;

  constructor(secret: string | Uint8Array) {
    const bytes = typeof secret === "string" ? utf8.encode(secret) : secret;
    this.#key = crypto.subtle.importKey(
      "raw",
      Uint8Array.from(bytes),
      { name: "HMAC", hash: "SHA-256" },
      false,
      ["sign"],
    );
  }

  /**
   * The label of an app's origins: stable for a server and domain, and unpredictable without the secret. It
   * has 130 bits, so labels do not collide.
   */
  async label(server: string, domain: string | undefined): Promise<string> {
    // JSON separates the two unambiguously: no server name can imitate another server with a domain.
    const bits = await this.#mac(`label ${JSON.stringify([server, domain ?? ""])}`);
    return base32(bits).slice(0, 26);
  }

  /**
   * The name under which a record is served: its content's hash, and a proof that the host side created it.
   */
  async name(label: string, record: string): Promise<string> {
    const id = base32(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8.encode(record)))).slice(
      0,
      26,
    );
    return `${id}${await this.#signature(label, id)}`;
  }

  /** Whether a name was created here for this label. */
  async isOurs(label: string, name: string): Promise<boolean> {
    const expected = await this.#signature(label, name.slice(0, 26));
    const given = name.slice(26);
    if (given.length !== expected.length) return false;
    let difference = 0;
    for (let i = 0; i < expected.length; i++) difference |= expected.charCodeAt(i) ^ given.charCodeAt(i);
    return difference === 0;
  }

  /**
   * A token that the proxy of a view shares with the script before its document; the view's own scripts
   * cannot read it.
   */
  async token(label: string, name: string): Promise<string> {
    return base32(await this.#mac(`token ${label} ${name}`)).slice(0, 26);
  }

  async #signature(label: string, id: string): Promise<string> {
    return base32(await this.#mac(`record ${label} ${id}`)).slice(0, 26);
  }

  async #mac(text: string): Promise<Uint8Array> {
    return new Uint8Array(await crypto.subtle.sign("HMAC", await this.#key, utf8.encode(text)));
  }
}

function base32(bytes: Uint8Array): string {
  let text = "";
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(buffer >> (bits - 5)) & 31];
    buffer &= 31;
  }
  return text;
}
