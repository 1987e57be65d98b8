/**
 * Servers given as files and folders.
 *
 * @module
 */
import { constants } from "node:fs";
import { access, readFile, stat } from "node:fs/promises";
import { basename, extname, join, resolve } from "node:path";
import { usage } from "./exit.js";
import { splitWords } from "./words.js";

/** How a file or folder is started. */
export interface Start {
  readonly words: readonly string[];
  readonly cwd: string;
  /** Its name, if the command does not provide one. */
  readonly name?: string | undefined;
}

/** A folder's own settings file. */
export interface OwnConfig {
  readonly config: string;
}

const NODE = [".js", ".mjs", ".cjs"];
const TYPESCRIPT = [".ts", ".mts", ".cts", ".tsx"];

/**
 * How a file is started: with Node, with Python, or directly.
 *
 * @throws {CliError} `usage`
 */
export async function fileStart(file: string, cwd: string): Promise<Start> {
  const kind = extname(file).toLowerCase();
  if (NODE.includes(kind)) return { words: [process.execPath, file], cwd };
  if (kind === ".py") return { words: ["python3", file], cwd };
  if (TYPESCRIPT.includes(kind)) {
    throw usage(
      `${file} is TypeScript, which Node does not run: build it and use the .js file, or use a command such as 'npx tsx ${file}'`,
    );
  }
  if (kind === ".json")
    throw usage(`${file} is not a program: if it is a settings file, use --config ${file}`);
  const isProgram = await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (isProgram) return { words: [file], cwd };
  throw usage(`${file} is not executable: run chmod +x on it, or give the command that runs it`);
}

/**
 * How a folder is started. It looks at, in this order: `mcp.json` and `.mcp.json`; then in `package.json` the
 * keys `mcp` (a command), `bin` and `main` (files for Node).
 *
 * @throws {CliError} `usage`
 */
export async function folderStart(folder: string): Promise<Start | OwnConfig> {
  for (const name of ["mcp.json", ".mcp.json"]) {
    if (await isFile(join(folder, name))) return { config: join(folder, name) };
  }
  const file = join(folder, "package.json");
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) {
    throw usage(`${folder} has no mcp.json and no package.json: give the command that starts its server`);
  }
  const about = readPackage(file, text);
  const name = typeof about["name"] === "string" ? basename(about["name"]) : undefined;
  const { mcp, main } = about;
  if (typeof mcp === "string") return { words: splitWords(mcp), cwd: folder, name };
  if (mcp !== undefined) {
    throw usage(`${file}: "mcp" must be the command that starts the server, such as "node dist/server.js"`);
  }
  const script = binOf(about["bin"], name) ?? (typeof main === "string" ? main : undefined);
  if (script === undefined) {
    throw usage(`${file} does not say how the server starts: add "mcp": "node server.js" to it, or "bin"`);
  }
  const path = resolve(folder, script);
  if (await isFile(path)) return { ...(await fileStart(path, folder)), name };
  throw usage(
    `${path} does not exist, but ${file} refers to it: build the package first, often with npm run build`,
  );
}

function readPackage(file: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // The parser's message repeats the text; the file name is enough.
  }
  throw usage(`${file} is not a JSON object: correct it, or give the command that starts the server`);
}

/** `bin` is one file, or several by name; the package's own name comes first. */
function binOf(bin: unknown, name: string | undefined): string | undefined {
  if (typeof bin === "string") return bin;
  const files = Object.entries(Object(bin)).filter(
    (each): each is [string, string] => typeof each[1] === "string",
  );
  return (files.find(([key]) => key === name) ?? files[0])?.[1];
}

/** Whether the file exists. */
export const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

/** Whether the folder exists. */
export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
