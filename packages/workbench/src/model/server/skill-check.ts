/**
 * Verifies the contents of a skill's file against the skill's entry.
 *
 * @module
 */
import { isRecord, type ResourceContents } from "@vitrine/protocol";
import { parse } from "yaml";
import { jsonDiff } from "./json-diff.js";
import type { ServerSkill } from "./skills.js";

/** The outcome of a check. */
export interface SkillCheck {
  /** Sentences about what does not fit. A host must not use such a file. */
  readonly problems: readonly string[];
  /** A sentence that says that it fits, or why nobody can say. */
  readonly verified: string;
}

/** Characters of frontmatter that are parsed. */
const MOST_FRONTMATTER = 100_000;

/** Computes a SHA-256. Null where the browser has none: pages without HTTPS, except on this machine. */
export type Digest = ((bytes: Uint8Array<ArrayBuffer>) => Promise<ArrayBuffer>) | null;

/** The browser's digest. */
export const browserDigest: Digest = globalThis.crypto?.subtle
  ? (bytes) => crypto.subtle.digest("SHA-256", bytes)
  : null;

/** Checks the size and the digest of a file, and the frontmatter of a `SKILL.md`. */
export async function checkSkillFile(
  skill: ServerSkill,
  contents: ResourceContents,
  digest: Digest = browserDigest,
): Promise<SkillCheck> {
  const { uri } = contents;
  const bytes = bytesOf(contents);
  const problems: string[] = [];
  if (uri === skill.uri) problems.push(...frontmatterProblems(skill, new TextDecoder().decode(bytes)));
  if (skill.files === "dynamic") return { problems, verified: "Not verified: the contents are dynamic." };
  const listed = skill.files.find((file) => file.uri === uri);
  if (!listed) {
    problems.push("The skill's entry does not list this file.");
    return { problems, verified: "" };
  }
  if (listed.size !== bytes.length)
    problems.push(`It has ${bytes.length} bytes, and the entry says ${listed.size}.`);
  if (!digest) return { problems, verified: "The digest was not checked: this page needs HTTPS for that." };
  const actual = `sha256:${hex(new Uint8Array(await digest(bytes)))}`;
  if (actual !== listed.digest)
    problems.push(`Its digest is ${actual}, and the entry says ${listed.digest}.`);
  return { problems, verified: problems.length === 0 ? "Verified: it fits the entry." : "" };
}

/** The differences between the frontmatter of a file and that of the entry. */
function frontmatterProblems({ frontmatter }: ServerSkill, text: string): string[] {
  const block = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)?.[1];
  if (block === undefined) return ["It does not begin with frontmatter between two lines of ---."];
  if (block.length > MOST_FRONTMATTER) return ["Its frontmatter is too large to be checked."];
  let own: unknown;
  try {
    own = parse(block, { schema: "core", maxAliasCount: 10 });
  } catch (error) {
    return [`Its frontmatter is not YAML: ${error instanceof Error ? error.message : error}`];
  }
  if (!isRecord(own)) return ["Its frontmatter has no fields."];
  const names = jsonDiff(frontmatter, own).map(({ path }) => path);
  return names.length === 0
    ? []
    : [`Its frontmatter differs from the entry: ${names.slice(0, 5).join(", ")}.`];
}

function bytesOf(contents: ResourceContents): Uint8Array<ArrayBuffer> {
  if ("text" in contents) return new TextEncoder().encode(contents.text);
  return Uint8Array.from(atob(contents.blob), (character) => character.charCodeAt(0));
}

const hex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
