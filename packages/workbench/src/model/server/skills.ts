/**
 * Skills of a server (`io.modelcontextprotocol/skills`), checked against the extension's specification.
 *
 * @module
 */
import { isRecord, recordOf } from "@vitrine/protocol";

/** The name of the extension. */
export const SKILLS_EXTENSION = "io.modelcontextprotocol/skills";

/** Whether a server that declares the extension also lists folders. */
export const listsFolders = (declared: unknown): boolean => recordOf(declared)["directoryRead"] === true;

/** A file of a skill, as its entry describes it. */
export interface SkillFile {
  readonly uri: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
}

/** A skill. */
export interface ServerSkill {
  /** The address of its `SKILL.md`. */
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /** `dynamic` if the server publishes no digests. */
  readonly files: readonly SkillFile[] | "dynamic";
  /** Sentences about what is wrong with the entry. */
  readonly findings: readonly string[];
}

/** The limits that every host accepts. */
const MOST_FILES = 512;
const MOST_BYTES = 16 * 1024 * 1024;

/** Skills that are read from a list, and its pages: a list may have no end. */
const MOST_SKILLS = 2_000;
const MOST_PAGES = 50;

const MAIN = "/SKILL.md";
/** Naming rules of the Agent Skills specification. */
const NAME = /^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Sends a request, and returns its result. Throws its error. */
export type SkillRequest = (
  method: "skills/list" | "skills/get" | "resources/directory/read",
  params: Readonly<Record<string, unknown>>,
) => Promise<unknown>;

/** Lists the skills, all pages. `missing` says why some may be missing. */
export async function listSkills(
  send: SkillRequest,
): Promise<{ skills: ServerSkill[]; missing?: string | undefined }> {
  const skills: ServerSkill[] = [];
  let params: { cursor?: string } = {};
  for (let page = 0; page < MOST_PAGES; page++) {
    const { skills: entries, nextCursor } = recordOf(await send("skills/list", params));
    if (!Array.isArray(entries))
      throw new Error("The answer to skills/list has no list with the name skills.");
    skills.push(...entries.slice(0, MOST_SKILLS - skills.length).map(readSkill));
    if (typeof nextCursor !== "string") return { skills };
    if (skills.length >= MOST_SKILLS) break;
    params = { cursor: nextCursor };
  }
  return { skills, missing: `Only the first ${skills.length.toLocaleString("en")} skills are shown.` };
}

/** The skill at an address, whether or not it is listed. */
export async function getSkill(send: SkillRequest, uri: string): Promise<ServerSkill> {
  const skill = readSkill(recordOf(await send("skills/get", { uri }))["skill"]);
  if (skill.uri === uri) return skill;
  return { ...skill, findings: [...skill.findings, `The entry is about another address than ${uri}.`] };
}

/** Reads and checks an entry, which may be anything. */
export function readSkill(entry: unknown): ServerSkill {
  const { uri: at, frontmatter: given, resources } = recordOf(entry);
  const uri = typeof at === "string" ? at : "";
  const frontmatter = isRecord(given) ? given : {};
  const { name, description } = frontmatter;
  const findings: string[] = [];
  const find = (isWrong: boolean, sentence: string): void => {
    if (isWrong) findings.push(sentence);
  };
  find(!uri.endsWith(MAIN), "Its address does not end with /SKILL.md.");
  find(typeof name !== "string" || !NAME.test(name), "Its name breaks the naming rules of Agent Skills.");
  find(
    uri.endsWith(MAIN) && uri.slice(0, -MAIN.length).split("/").at(-1) !== name,
    "The last folder of its address is not its name.",
  );
  find(typeof description !== "string" || description === "", "It has no description.");
  const files = readFiles(resources);
  if (files === undefined) {
    find(true, 'Its resources are neither a list nor "dynamic", so hosts must not load it.');
  } else if (files === "dynamic") {
    find(true, "Its contents are dynamic: nobody can verify them, and hosts may decline to load it.");
  } else {
    const listed = files.map((file) => file.uri);
    const folder = uri.slice(0, -MAIN.length + 1);
    const bytes = files.reduce((sum, { size }) => sum + Math.max(size, 0), 0);
    find(!listed.includes(uri), "Its list of files lacks its own SKILL.md.");
    find(new Set(listed).size < listed.length, "Its list has a file twice.");
    find(
      listed.some((file) => !file.startsWith(folder)),
      "Its list has a file outside of its folder.",
    );
    find(
      files.some(({ digest }) => !DIGEST.test(digest)),
      "Its list has a digest that is not sha256: and 64 hexadecimal digits.",
    );
    find(
      files.some(({ size }) => !Number.isInteger(size) || size < 0),
      "Its list has a file without a size in bytes.",
    );
    find(
      files.length > MOST_FILES,
      `It has more than ${MOST_FILES} files, the most that every host accepts.`,
    );
    find(bytes > MOST_BYTES, "It is larger than 16 MiB, the most that every host accepts.");
  }
  return {
    uri,
    name: typeof name === "string" ? name : "(no name)",
    description: typeof description === "string" ? description : "",
    frontmatter,
    files: files ?? [],
    findings,
  };
}

function readFiles(resources: unknown): ServerSkill["files"] | undefined {
  if (resources === "dynamic") return "dynamic";
  if (!Array.isArray(resources)) return undefined;
  return resources.map((file: unknown) => {
    const { uri, digest, size } = recordOf(file);
    return {
      uri: typeof uri === "string" ? uri : "",
      digest: typeof digest === "string" ? digest : "",
      size: typeof size === "number" ? size : -1,
    };
  });
}
