/**
 * Serves the files of the workbench's folder: nothing outside of it, and no hidden files.
 *
 * @module
 */
import { hash } from "node:crypto";
import { readFile, realpath, stat } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { GatewayError } from "@vitrine/wire";
import type { HttpAnswer } from "./answer.js";
import { type FolderPolicy, pageHeaders } from "./headers.js";
import { HttpError } from "./http-error.js";

/** The folder, and the policy of its pages. */
export interface StaticOptions extends FolderPolicy {
  folder: string;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".webp": "image/webp",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
};

/** A file name with a content hash, as bundlers write it: `index-B4x9Kf2a.js`. Its content never changes. */
const HASHED = /[-.](?=\w*\d)(?=\w*[A-Z])\w{8,}\.\w+$/;
/** Maximum bytes of a file. */
const MAX_FILE = 32_000_000;
const NOT_FOUND = "nothing exists at this address";

/** Serves the files of a folder. */
export class StaticFiles {
  readonly #folder: string;
  readonly #headers: Readonly<Record<string, string>>;

  private constructor(folder: string, headers: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#headers = headers;
  }

  /** @throws {GatewayError} `config-invalid` if the folder does not exist, or its policy is invalid */
  static async open(options: StaticOptions): Promise<StaticFiles> {
    const folder = await realpath(options.folder).catch((cause: unknown) => {
      throw new GatewayError("config-invalid", `the folder ${options.folder} does not exist`, { cause });
    });
    if (!(await stat(folder)).isDirectory())
      throw new GatewayError(
        "config-invalid",
        `${options.folder} is not a folder: name the folder with the page`,
      );
    return new StaticFiles(folder, pageHeaders(options));
  }

  /** The answer for an encoded path; `/` is `index.html`. */
  async answer(path: string, ifNoneMatch: string | undefined): Promise<HttpAnswer> {
    const file = await this.#find(path);
    const body = await readFile(file);
    const tag = `"${hash("sha256", body, "base64").slice(0, 27)}"`;
    const headers = {
      ...this.#headers,
      "content-type": TYPES[extname(file).toLowerCase()] ?? "application/octet-stream",
      "cache-control": HASHED.test(file) ? "private, max-age=31536000, immutable" : "no-cache",
      etag: tag,
    };
    if (ifNoneMatch?.split(",").some((each) => each.trim() === tag)) {
      return { status: 304, headers };
    }
    return { status: 200, headers, body };
  }

  async #find(path: string): Promise<string> {
    const names = readPath(path);
    if (names.length === 0) names.push("index.html");
    // Resolve links before checking the location.
    const file = await realpath(join(this.#folder, ...names)).catch(() => undefined);
    const found = file?.startsWith(`${this.#folder}${sep}`) ? await stat(file) : undefined;
    if (!file || !found?.isFile() || found.size > MAX_FILE) throw new HttpError("not-found", NOT_FOUND);
    return file;
  }
}

/** The segments of a path. Hidden names and relative segments are not found. */
function readPath(path: string): string[] {
  let text: string;
  try {
    text = decodeURIComponent(path);
  } catch (cause) {
    throw new HttpError("not-found", NOT_FOUND, { cause });
  }
  if (text === "/") return [];
  const names = text.split("/").slice(1);
  if (names.some((name) => name === "" || name.startsWith(".") || /[\\:\p{Cc}]/u.test(name))) {
    throw new HttpError("not-found", NOT_FOUND);
  }
  return names;
}
