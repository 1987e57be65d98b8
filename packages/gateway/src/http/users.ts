/**
 * The users of a gateway, and their tokens.
 *
 * @module
 */
import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { GatewayError } from "@vitrine/wire";
import type { UserSettings } from "../config/config.js";

/** The user of a gateway without configured users. */
export const LOCAL_USER = "local";

/** The basis of a sign-in: it ends when the user's token changes. */
export interface SignInGrounds {
  readonly user: string;
  /** Identifies the user's token, by a hash of its hash. */
  readonly credential: string;
}

/** The hash of a secret: only hashes are kept and compared. */
export const digest = (secret: string): string => hash("sha256", secret, "hex");
/** 256 bits. */
export const makeSecret = (): string => randomBytes(32).toString("base64url");
/**
 * Replaces the hash of a generated token, which changes at each start while sign-ins persist. No hash looks
 * like this.
 */
const MADE = "made";

interface User extends Readonly<{ name: string; hash: Buffer; credential: string }> {}

/** The users. Without configured ones, there is one with a generated token. */
export class Users {
  /** The generated token; undefined if users are configured. */
  readonly token: string | undefined;
  #all: readonly User[];

  constructor(users: readonly UserSettings[]) {
    if (users.length === 0) this.token = makeSecret();
    this.#all = this.token
      ? [{ name: LOCAL_USER, hash: Buffer.from(digest(this.token), "hex"), credential: MADE }]
      : users.map(readUser);
  }

  /** @throws {GatewayError} `config-invalid` if the generated token would appear or disappear */
  replace(users: readonly UserSettings[]): void {
    if (this.token || users.length === 0) {
      throw new GatewayError(
        "config-invalid",
        "adding the first user or removing the last one needs a restart of the gateway",
      );
    }
    this.#all = users.map(readUser);
  }

  /** The credential of a user, if there is one. */
  credentialOf(user: string): string | undefined {
    return this.#all.find(({ name }) => name === user)?.credential;
  }

  /** Whether the user still has the token that a sign-in is based on. */
  stands({ user, credential }: SignInGrounds): boolean {
    return this.#all.some((one) => one.name === user && one.credential === credential);
  }

  /** The user of a token, if any. Compares all users, in constant time. */
  ofToken(token: string): string | undefined {
    const given = Buffer.from(digest(token), "hex");
    let found: string | undefined;
    for (const each of this.#all) if (timingSafeEqual(each.hash, given)) found = each.name;
    return found;
  }
}

function readUser({ name, tokenHash }: UserSettings): User {
  if (name !== "" && /^[0-9a-f]{64}$/i.test(tokenHash))
    return { name, hash: Buffer.from(tokenHash, "hex"), credential: digest(tokenHash.toLowerCase()) };
  throw new GatewayError(
    "config-invalid",
    `user ${JSON.stringify(name)} needs a tokenHash: the SHA-256 of a token, in 64 hexadecimal digits`,
  );
}
