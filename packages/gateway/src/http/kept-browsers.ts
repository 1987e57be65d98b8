/**
 * Which browsers are signed in, kept over a restart: their pages go on by themselves.
 *
 * @module
 */

import { join } from "node:path";
import { recordOf } from "@vitrine/protocol";
import { readPrivate, writePrivate } from "@vitrine/servers/support";
import type { SignedInBrowser } from "./auth.js";

/** The browsers of a gateway, in a file that only its user can read. It has hashes of cookies, and no cookie. */
export class KeptBrowsers {
  readonly browsers: readonly SignedInBrowser[];
  readonly #file: string;
  readonly #onerror: (error: unknown) => void;
  #next: readonly SignedInBrowser[] | undefined;
  #writing: Promise<void> | undefined;

  private constructor(file: string, browsers: readonly SignedInBrowser[], onerror: (error: unknown) => void) {
    this.#file = file;
    this.browsers = browsers;
    this.#onerror = onerror;
  }

  /** Reads the file, if there is one; what is no browser is left out. */
  static async open(folder: string, onerror: (error: unknown) => void): Promise<KeptBrowsers> {
    const file = join(folder, "browsers.json");
    return new KeptBrowsers(file, read((await readPrivate(file)) ?? "[]"), onerror);
  }

  /** Writes these in place of those before; the last ones count. */
  save(browsers: readonly SignedInBrowser[]): void {
    this.#next = browsers;
    this.#writing ??= this.#write();
  }

  /** Waits until all is written. */
  async close(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#next) {
      const text = JSON.stringify(this.#next);
      this.#next = undefined;
      // What cannot be kept costs a person one sign-in.
      await writePrivate(this.#file, text).catch(this.#onerror);
    }
    this.#writing = undefined;
  }
}

function read(text: string): SignedInBrowser[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter(isBrowser) : [];
  } catch {
    return [];
  }
}

function isBrowser(value: unknown): value is SignedInBrowser {
  const { browser, user, credential, until, usedAt } = recordOf(value);
  return (
    /^[0-9a-f]{64}$/.test(`${browser}`) &&
    typeof user === "string" &&
    typeof credential === "string" &&
    typeof until === "number" &&
    typeof usedAt === "number"
  );
}
