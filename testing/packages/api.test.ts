/** The report of a public API shows what users can import, and a change of it is noticed. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";

const SCRIPT = fileURLToPath(new URL("../../scripts/api.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "vitrine-api-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const dist = join(folder, "packages/wire/dist");
mkdirSync(dist, { recursive: true });
const types = { ".": { types: "./dist/index.d.ts" }, "./extra": { types: "./dist/extra.d.ts" } };
writeFileSync(join(dist, "../package.json"), JSON.stringify({ name: "@vitrine/wire", exports: types }));
const write = (path: string, text: string): void => writeFileSync(join(dist, path), text);
write(
  "index.d.ts",
  'export { Session, type Frame as Packet } from "./session.js";\nexport { Peer } from "@vitrine/protocol";\n',
);
write("extra.d.ts", 'export * from "./index.js";\nexport declare const EXTRA: unique symbol;\n');
write(
  "session.d.ts",
  `import type { Limits } from "./limits.js";
/** Not in the report: a comment. */
export declare class Session {
    #private;
    /** Sends. */
    send(frame: Frame): import("./line.js").Line;
}
export interface Frame {
    limits: Limits;
}
export declare const internal = 1;
`,
);
write("limits.d.ts", "export interface Limits {\n    size: number;\n}\nexport interface Other {\n}\n");
write("line.d.ts", "export type Line = string;\n");

const api = (...words: string[]) => {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, ...words], {
    cwd: folder,
    encoding: "utf8",
  });
  return { status, stderr };
};

it("has every exported declaration, and the types that these are made of", () => {
  expect(api()).toEqual({ status: 0, stderr: "" });
  const report = readFileSync(join(folder, "api/wire.md"), "utf8");
  expect(report.slice(report.indexOf("## "))).toBe(`## \`@vitrine/wire\`

\`\`\`ts
export { Frame as Packet };
export { Peer } from "@vitrine/protocol";
interface Frame {
    limits: Limits;
}
class Session {
    #private;
    send(frame: Frame): import("./line.js").Line;
}
\`\`\`

Not exported, but part of these types:

\`\`\`ts
interface Limits {
    size: number;
}
type Line = string;
\`\`\`

## \`@vitrine/wire/extra\`

\`\`\`ts
export * from "./index.js";
const EXTRA: unique symbol;
\`\`\`
`);
  expect(api("--check")).toEqual({ status: 0, stderr: "" });
});

it("a change of an export, or of a type inside it, fails the check", () => {
  const limits = readFileSync(join(dist, "limits.d.ts"), "utf8");
  write("limits.d.ts", limits.replace("size: number", "size: bigint"));
  expect(api("--check")).toEqual({
    status: 1,
    stderr: "api/wire.md is not the public surface that was built: run `npm run api`, and look at the diff\n",
  });
  write("limits.d.ts", limits.replace("interface Other {", "interface Other {\n    inner: 1;"));
  expect(api("--check"), "a change of what is not public").toEqual({ status: 0, stderr: "" });
});

it("exporting everything of a file is refused: nothing is public by accident", () => {
  write("index.d.ts", 'export * from "./session.js";\n');
  const { status, stderr } = api();
  expect(status).toBe(1);
  expect(stderr).toContain("exports everything of ./session.js: name what is public");
});
