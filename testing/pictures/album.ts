/**
 * A folder of checked-in pictures, with which a test compares what a page looks like.
 */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { decodePng, encodePng, type Picture } from "../host/picture.ts";
import { pause } from "../pause.ts";
import { neutralize } from "./frozen-page.ts";
import { compare, drawDifference, reduce } from "./reduced-picture.ts";

/** Milliseconds until a page must look as expected. It may still load when the test looks first. */
const PATIENCE = 15_000;
const INTERVAL = 250;
/** Milliseconds until a page must be at rest, when its picture is written anew. */
const REST = 60_000;

/** How an {@link Album} is used. */
export interface AlbumOptions {
  /** Whether to write the pictures anew. */
  renews?: boolean;
  /** Folder for pictures of full size, to look at. */
  full?: string | undefined;
}

/** The pictures of one test. */
export class Album {
  readonly #folder: string;
  readonly #renews: boolean;
  readonly #full: string | undefined;
  readonly #taken = new Set<string>();
  #failures: string | undefined;

  constructor(folder: string, { renews = false, full }: AlbumOptions = {}) {
    this.#folder = folder;
    this.#renews = renews;
    this.#full = full;
  }

  /** Compares the page with a picture; returns the difference as a sentence. */
  async differs(page: Page, name: string): Promise<string | undefined> {
    if (this.#taken.has(name)) throw new Error(`two pictures have the name ${name}`);
    this.#taken.add(name);
    const path = join(this.#folder, `${name}.png`);
    if (this.#renews) {
      await this.#renew(page, path);
      return undefined;
    }
    if (!existsSync(path)) return `${name}: there is no picture yet. Run: npm run pictures -- --renew`;
    const expected = decodePng(await readFile(path));
    const end = Date.now() + PATIENCE;
    for (;;) {
      const png = await photograph(page);
      const actual = asStored(reduce(decodePng(png)));
      const difference = compare(expected, actual);
      if (difference.isSame) {
        await this.#keepFull(name, png);
        return undefined;
      }
      if (Date.now() > end) {
        const drawn = drawDifference(actual, difference);
        const where = await this.#fail(name, { expected, actual, difference: drawn }, png);
        return `${name}: ${difference.count} of ${difference.cells.length} cells differ; see ${where}`;
      }
      await pause(INTERVAL);
    }
  }

  /** Whether the page looks now as in a picture. */
  async matches(page: Page, name: string): Promise<boolean> {
    const expected = decodePng(await readFile(join(this.#folder, `${name}.png`)));
    return compare(expected, asStored(reduce(decodePng(await photograph(page))))).isSame;
  }

  /** Names of checked-in pictures that the test did not take. Renewing removes them. */
  async leftovers(): Promise<string[]> {
    const files = (await readdir(this.#folder)).filter((file) => file.endsWith(".png"));
    const left = files.filter((file) => !this.#taken.has(file.slice(0, -".png".length)));
    if (!this.#renews) return left;
    for (const file of left) await rm(join(this.#folder, file));
    return [];
  }

  /** Writes the picture as soon as the page is at rest. A picture that is the same as before stays untouched. */
  async #renew(page: Page, path: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    let png = await photograph(page);
    let actual = asStored(reduce(decodePng(png)));
    const end = Date.now() + REST;
    for (let quiet = 0; quiet < 2; ) {
      if (Date.now() > end) throw new Error(`the page does not come to rest: ${path}`);
      await pause(INTERVAL);
      png = await photograph(page);
      const next = asStored(reduce(decodePng(png)));
      quiet = compare(actual, next).count === 0 ? quiet + 1 : 0;
      actual = next;
    }
    const isSame = existsSync(path) && compare(decodePng(await readFile(path)), actual).count === 0;
    if (!isSame) await writeFile(path, encodePng(actual));
    await this.#keepFull(path.slice(path.lastIndexOf("/") + 1, -".png".length), png);
  }

  async #keepFull(name: string, png: Buffer): Promise<void> {
    if (this.#full === undefined) return;
    await mkdir(this.#full, { recursive: true });
    await writeFile(join(this.#full, `${name}.png`), png);
  }

  async #fail(name: string, pictures: Record<string, Picture>, full: Buffer): Promise<string> {
    this.#failures ??= await mkdtemp(join(tmpdir(), "vitrine-pictures-"));
    for (const [kind, picture] of Object.entries(pictures))
      await writeFile(join(this.#failures, `${name}-${kind}.png`), encodePng(picture));
    await writeFile(join(this.#failures, `${name}-full.png`), full);
    return join(this.#failures, `${name}-{${Object.keys(pictures)},full}.png`);
  }
}

/** A picture of the page as it is now, with neutral words. */
async function photograph(page: Page): Promise<Buffer> {
  await neutralize(page);
  return page.screenshot({ animations: "disabled", caret: "hide", scale: "css" });
}

/** A picture after it was written and read: a file has 256 colours, and rare ones take the nearest. */
const asStored = (picture: Picture): Picture => decodePng(encodePng(picture));
