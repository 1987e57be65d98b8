/**
 * Stores the signed-in browsers, so that their pages continue to work after a restart.
 *
 * @module
 */

import { join } from "node:path";
import { recordOf } from "@vitrine/protocol";
import { readPrivate, writePrivate } from "@vitrine/servers/support";
import type { SignedInBrowser } from "./auth.js";

/** The browsers of a gateway, in a file that only its user can read. It contains hashes of cookies only. */
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

  /** Reads the file if it exists. Invalid entries are skipped. */
  static async open(folder: string, onerror: (error: unknown) => void): Promise<KeptBrowsers> {
    const file = join(folder, "browsers.json");
    return new KeptBrowsers(file, read((await readPrivate(file)) ?? "[]"), onerror);
  }

  /** Replaces the stored browsers. If called repeatedly, the last call counts. */
  save(browsers: readonly SignedInBrowser[]): void {
    this.#next = browsers;
    this.#writing ??= this.#write();
  }

  /** Waits until everything is written. */
  async close(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#next) {
      const text = JSON.stringify(this.#next);
      this.#next = undefined;
      // If this fails, users must sign in once more.
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
