/**
 * The files that a person has approved: a path and the hash of what was in it.
 *
 * @module
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, realpath, rename, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { projectOf } from "@vitrine/gateway";

/** Contents that are remembered of one file: a person goes back and forth between branches. */
const MOST_CONTENTS = 20;

type Approved = Record<string, string[]>;

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

const isHashes = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

/**
 * Where a file is: its project's real folder, and its name in there. A link to an approved file is another file, because relative paths in
 * it begin at the link.
 */
async function placeOf(file: string): Promise<string> {
  const project = projectOf(file);
  return join(await realpath(project), relative(project, resolve(file)));
}

/** Kept in the person's own data folder, which no settings file of a working folder can choose. */
export class ApprovedFiles {
  readonly #folder: string;
  /** Holds for this process, also where nothing can be written. */
  readonly #here = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async has(file: string, text: string): Promise<boolean> {
    const [path, hash] = [await placeOf(file), hashOf(text)];
    return this.#here.has(`${hash} ${path}`) || ((await this.#read())[path] ?? []).includes(hash);
  }

  /** @throws what the file system says, if it cannot be remembered for the next time */
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

  /** In one step: another `vitrine` may read it at the same time. */
  async #write(approved: Approved): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const draft = `${this.#file}.${randomUUID()}`;
    await writeFile(draft, `${JSON.stringify(approved, null, 2)}\n`, { mode: 0o600 });
    await rename(draft, this.#file);
  }
}

/** A file that is damaged approves nothing: the person is asked again, and it is written anew. */
function parsed(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
