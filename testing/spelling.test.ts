/** Codes of errors, causes and events are written in kebab-case, in the sources and in the documents. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** Codes that others define: constants of Node and the official SDK, words of MCP, OAuth and model providers. */
const OF_OTHERS =
  /^([A-Z][A-Z0-9]*(_[A-Z0-9]+)*|[0-9A-Z]{5}|input_required|invalid_grant|invalid_client|access_denied|insufficient_(scope|quota)|rate_limit_exceeded|context_length_exceeded|overloaded_error|not_found)$/;

/** Places where a source file writes a code. */
const IN_SOURCES = [
  // code: "x", code === "x", case "x" of a code is found by its type
  /\b(?:code|cause|reason)\b["']?\s*(?::|={1,3}|!==)\s*["']([\w-]+)["']/g,
  // new VitrineError("x", …), failure("x", …), report("x")
  /\b(?:new \w*Error|report|fail|failed|failure|refuse)\(\s*["']([\w-]+)["']\s*[,)]/g,
  // Tables from codes to sentences: load_failed: "This app …"
  /^\s+["']?([a-z]+(?:_[a-z]+)+)["']?:\s*["'`][A-Z]/gm,
];
/** `type ErrorCode = "a" | "b";`, `interface BridgeEvents { … }` */
const CODE_TYPES = /\btype \w*(?:Codes?|Cause|Reason|Event|Problem)(?:<\w+>)? =([^;{]*);/g;
const EVENT_TABLES = /\binterface \w*Events\b[^{]*\{([\s\S]*?)\n\}/g;
/** Codes in the first cell of a table's row: | `a`, `b` | … */
const ROWS = /^\|\s*((?:`[^`|]+`(?:,\s*|\s+or\s+|\s+))+)\|/gm;
const DOCUMENTS = ["docs/errors.md", "docs/render.md", "docs/inspector.md"];

const texts = (source: string, pattern: RegExp): string[] =>
  [...source.matchAll(pattern)].map(([, text = ""]) => text);

function codesInSource(source: string): string[] {
  return [
    ...IN_SOURCES.flatMap((pattern) => texts(source, pattern)),
    ...texts(source, CODE_TYPES).flatMap((union) => texts(union, /["']([\w-]+)["']/g)),
    ...texts(source, EVENT_TABLES).flatMap((table) => texts(table, /^ {2}["']?([\w-]+)["']?\??:/gm)),
  ];
}

const codesInDocument = (document: string): string[] =>
  texts(document, ROWS).flatMap((cell) => texts(cell, /`([a-z]+(?:[_-][a-z]+)+)`/g));

const misspelt = (codes: readonly string[]): string[] =>
  codes.filter((code) => !KEBAB.test(code) && !OF_OTHERS.test(code) && !/^-?\d+$/.test(code));

/** The demo servers name tools as servers do: `app_tools`. */
const isSource = (path: string): boolean =>
  !path.startsWith("packages/cli/src/demos/") &&
  /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path) &&
  !/\.(test|test-d)\.tsx?$/.test(path);

describe("codes", () => {
  it("are in kebab-case in the sources", () => {
    const found = readdirSync("packages", { recursive: true, encoding: "utf8" })
      .map((path) => join("packages", path))
      .filter(isSource)
      .map((path) => [path, codesInSource(readFileSync(path, "utf8"))] as const);
    expect(found.flatMap(([, codes]) => codes).length).toBeGreaterThan(500);
    expect(found.flatMap(([path, codes]) => misspelt(codes).map((code) => `${path}: ${code}`))).toEqual([]);
  });

  it.each(DOCUMENTS)("are in kebab-case in %s", (path) => {
    const codes = codesInDocument(readFileSync(path, "utf8"));
    expect(codes.length).toBeGreaterThan(5);
    expect(misspelt(codes)).toEqual([]);
  });

  it.each([
    'throw new VitrineError("load_failed", "gone");',
    'throw new GatewayError("serverUnknown", "no such server");',
    'return { code: "tooLarge" };',
    'if (cause.code === "bad_resource") retry();',
    'report("navigated_away");',
    'export type FrameErrorCode =\n  | "handshake_timeout"\n  | "closed";',
    "export interface BridgeEvents {\n  toolsChanged: object;\n}",
    'const SENTENCES = {\n  took_focus: "This app was stopped.",\n};',
  ])("another spelling is found: %s", (source) => {
    expect(misspelt(codesInSource(source))).toHaveLength(1);
  });

  it("another spelling is found in a document", () => {
    expect(misspelt(codesInDocument("| `load-failed`, `bad_resource` | the app is gone |"))).toEqual([
      "bad_resource",
    ]);
  });

  it("codes of others keep their spelling", () => {
    expect(
      misspelt(codesInSource('if (error.code === "ENOENT" || error.code === "SQLITE_BUSY") retry();')),
    ).toEqual([]);
  });
});
