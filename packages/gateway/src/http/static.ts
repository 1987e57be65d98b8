/**
 * The files of one folder: the workbench. Nothing outside of it, and nothing that is hidden in it.
 *
 * @module
 */
import { hash } from "node:crypto";
import { readFile, realpath, stat } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { GatewayError } from "@vitrine/wire";
import type { Answer } from "./answer.js";
import { type PagePolicy, pageHeaders } from "./headers.js";
import { HttpError } from "./http-error.js";

/** Which folder, and what its pages may do. */
export interface StaticOptions extends PagePolicy {
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

/** A name with the hash of its content in it, as bundlers write it: `index-B4x9Kf2a.js`. It never means another file. */
const HASHED = /[-.](?=\w*\d)(?=\w*[A-Z])\w{8,}\.\w+$/;
/** Bytes; a workbench has no file as large. */
const MAX_FILE = 32_000_000;
const NOT_FOUND = "there is nothing at this address";

/** Serves the files of one folder. */
export class StaticFiles {
  readonly #folder: string;
  readonly #headers: Readonly<Record<string, string>>;

  private constructor(folder: string, headers: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#headers = headers;
  }

  /** @throws {GatewayError} `config-invalid` if there is no such folder, or its policy is none */
  static async open(options: StaticOptions): Promise<StaticFiles> {
    const folder = await realpath(options.folder).catch((cause: unknown) => {
      throw new GatewayError("config-invalid", `there is no folder ${options.folder}`, { cause });
    });
    if (!(await stat(folder)).isDirectory())
      throw new GatewayError(
        "config-invalid",
        `${options.folder} is no folder: name the folder with the page`,
      );
    return new StaticFiles(folder, pageHeaders(options));
  }

  /** The answer for a path, still encoded; `/` is `index.html`. */
  async answer(path: string, ifNoneMatch: string | undefined): Promise<Answer> {
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
    // Where links lead is where it is.
    const file = await realpath(join(this.#folder, ...names)).catch(() => undefined);
    const found = file?.startsWith(`${this.#folder}${sep}`) ? await stat(file) : undefined;
    if (!file || !found?.isFile() || found.size > MAX_FILE) throw new HttpError("not-found", NOT_FOUND);
    return file;
  }
}

/** The names of a path. One that is hidden, or means another place, is not found. */
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
