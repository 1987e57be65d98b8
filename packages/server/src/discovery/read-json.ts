/**
 * Reads an author's JSON file and reports mistakes with file, line and field. An invalid file is never
 * treated as `{}`.
 *
 * @module
 */

import { type JsonSchema, jsonSchemaProblem } from "@vitrine/protocol";
import { MAX_BYTES } from "../check-document.js";
import type { DefinitionErrorCode } from "../errors.js";
import { pathInside, readDocument } from "../read-document.js";
import { jsonPlaces, lineAt } from "./json-places.js";
import { FileError, inFile, messageOf } from "./problem.js";

/** A parsed JSON file. */
export class JsonFile {
  readonly value: unknown;
  readonly #file: string;
  readonly #text: string;

  /** @throws {FileError} `json-invalid` */
  constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
    try {
      this.value = JSON.parse(text);
    } catch (cause) {
      const { failedAt } = jsonPlaces(text);
      const line = failedAt === undefined ? undefined : lineAt(text, failedAt);
      throw new FileError("json-invalid", `it is not JSON: ${messageOf(cause)}`, { file, line, cause });
    }
  }

  /** @throws {FileError} for the first violation of the schema */
  check(schema: JsonSchema, code: DefinitionErrorCode, value: unknown = this.value, path = "it"): void {
    const problem = jsonSchemaProblem(value, schema, path);
    if (problem !== undefined) throw this.error(code, problem);
  }

  /** Creates an error at the path that starts the message: `it.meta.csp must be an object`. */
  error(code: DefinitionErrorCode, sentence: string, cause?: unknown): FileError {
    const line = this.#lineOf(sentence);
    return new FileError(code, sentence.replaceAll(/\bit\.(?=\w)/g, ""), { file: this.#file, line, cause });
  }

  #lineOf(sentence: string): number | undefined {
    const { starts } = jsonPlaces(this.#text);
    const [, path = "it", unknown] = /^([^\s:]+)(?: has an unknown field "([^"]*)")?/.exec(sentence) ?? [];
    for (const each of [`${path}.${unknown}`, ...prefixesOf(path)]) {
      const at = starts.get(each);
      if (at !== undefined) return lineAt(this.#text, at);
    }
    return undefined;
  }
}

/** A path and its parents: a missing field has no line of its own. */
function prefixesOf(path: string): string[] {
  const all = [path];
  for (let rest = path; (rest = rest.replace(/(\.[^.[\]]*|\[\d+\])$/, "")) !== all.at(-1); ) all.push(rest);
  return all;
}

/** @throws {DefinitionError} */
export async function readJsonFile(root: string, file: string): Promise<JsonFile> {
  const text = await inFile(file, async () => readDocument(await pathInside(root, file), MAX_BYTES));
  return new JsonFile(file, text);
}
