/**
 * React 18, beside the React of the repository. npm cannot install two versions of it into one project, because each
 * `react-dom` requires its own `react`.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const VERSION = "18.3.1";
const FOLDER = fileURLToPath(new URL("../node_modules/.cache/react-18", import.meta.url));

/** Installs it once. Returns what esbuild takes in place of the repository's React. */
export async function react18(): Promise<Record<"react" | "react-dom", string>> {
  const folderOf = (name: string): string => join(FOLDER, "node_modules", name);
  if (!existsSync(join(folderOf("react-dom"), "package.json"))) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(join(FOLDER, "package.json"), '{ "private": true }');
    const packages = [`react@${VERSION}`, `react-dom@${VERSION}`];
    await promisify(execFile)("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd: FOLDER });
  }
  return { react: folderOf("react"), "react-dom": folderOf("react-dom") };
}
