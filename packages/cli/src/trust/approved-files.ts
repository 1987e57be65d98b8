/**
 * The files that the user has approved: a path and a content hash.
 *
 * @module
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, realpath, rename, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { projectOf } from "@vitrine/gateway";

/** Maximum remembered contents of one file, for switching between branches. */
const MOST_CONTENTS = 20;

type Approved = Record<string, string[]>;

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

const isHashes = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

/**
 * Identifies a file by its project's real folder and its name there. A link to an approved file counts as
 * another file, because its relative paths start at the link.
 */
async function placeOf(file: string): Promise<string> {
  const project = projectOf(file);
  return join(await realpath(project), relative(project, resolve(file)));
}

/** Stored in the user's own data folder, which no settings file of a working folder can change. */
export class ApprovedFiles {
  readonly #folder: string;
  /** Approvals of this process, even if nothing can be written. */
  readonly #here = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async has(file: string, text: string): Promise<boolean> {
    const [path, hash] = [await placeOf(file), hashOf(text)];
    return this.#here.has(`${hash} ${path}`) || ((await this.#read())[path] ?? []).includes(hash);
  }

  /** @throws the file system's error, if it cannot be stored for the next time */
  async add(file: string, text: string): Promise<void> {
    const [path, hash] = [await placeOf(file), hashOf(text)];
    this.#here.add(`${hash} ${path}`);
    const approved = await this.#read();
    const hashes = [hash, ...(approved[path] ?? []).filter((each) => each !== hash)];
    await this.#write({ ...approved, [path]: hashes.slice(0, MOST_CONTENTS) });
  }

  get #file(): string {
    return join(this.#folder, "approved-files.json");
  }

  async #read(): Promise<Approved> {
    const text = await readFile(this.#file, "utf8").catch(() => "{}");
    const approved: Approved = Object.create(null);
    for (const [path, hashes] of Object.entries(parsed(text))) if (isHashes(hashes)) approved[path] = hashes;
    return approved;
  }

  /** Atomic, because another `vitrine` may read it at the same time. */
  async #write(approved: Approved): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const draft = `${this.#file}.${randomUUID()}`;
    await writeFile(draft, `${JSON.stringify(approved, null, 2)}\n`, { mode: 0o600 });
    await rename(draft, this.#file);
  }
}

/** A damaged file approves nothing: the user is asked again, and it is rewritten. */
function parsed(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
