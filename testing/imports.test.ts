/** The allowed imports between packages: dependencies point one way. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ALL = [
  "protocol",
  "wire",
  "view",
  "sandbox",
  "guard",
  "host",
  "server",
  "servers",
  "gateway",
  "workbench",
];
const ALLOWED: Record<string, readonly string[]> = {
  protocol: [],
  view: ["protocol"],
  sandbox: ["protocol"],
  wire: ["protocol"],
  guard: ["protocol"],
  host: ["protocol", "wire", "guard"],
  server: ["protocol", "view", "servers"],
  servers: ["protocol", "wire", "guard"],
  conversation: ["protocol", "wire", "guard", "servers"],
  gateway: ["protocol", "wire", "sandbox", "guard", "servers", "conversation"],
  workbench: ["protocol", "wire", "guard", "host"],
  cli: ALL,
};
/** The only file of the sandbox and of the guard that needs Node. */
const NODE = /^node\.ts$/;
/** npm packages that a package may import at run time, and in which files. */
const EXTERNAL: Record<string, Record<string, RegExp>> = {
  protocol: {},
  wire: {},
  guard: { "node:http": NODE, "node:stream": NODE, "node:stream/promises": NODE, "node:stream/web": NODE },
  view: { react: /^react\./, vue: /^vue\./, svelte: /^svelte\./ },
  sandbox: { "node:events": NODE, "node:http": NODE, "node:net": NODE, "node:stream": NODE },
  host: { react: /^react[.-]/ },
};
/**
 * Imports of the workbench's page. Its model is independent of React; the Node part knows only where the page
 * is.
 */
const PAGE =
  /^(lucide-react|react|react-dom(\/client)?|react-aria-components|react-resizable-panels|virtua|react-json-view-lite|temml|sugar-high(\/.+)?|@rjsf\/(core\/lib\/components\/Form\.js|utils)|@cfworker\/json-schema)$/;
/** Imports of the command line. */
const COMMAND =
  /^(node:.+|commander|playwright-core|yaml|zod|@modelcontextprotocol\/((client|server)(\/(stdio|validators\/ajv))?|node))$/;
/** Imports of the author's toolkit. Its templates run in a browser and use only the view's runtime. */
const TOOLKIT = /^(node:.+|@modelcontextprotocol\/server(\/stdio)?|zod)$/;
/** Dependencies of the packages for Node. */
const SERVERS = /^(node:.+|@modelcontextprotocol\/client(\/stdio)?)$/;
const CONVERSATION =
  /^(node:.+|@ai-sdk\/(anthropic|google|openai|openai-compatible)|@cfworker\/json-schema)$/;
const GATEWAY = /^(node:.+|@modelcontextprotocol\/client(\/stdio)?|kysely|libsql|pg|pino|ws)$/;
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)["']([@\w./:-]+)["']/g;

/** Forbidden imports of one source file, as text. */
function forbiddenImports(path: string, source: string): string[] {
  const [, owner = "", file = ""] = /^packages\/([^/]+)\/src\/(.+)$/.exec(path) ?? [];
  return [...source.matchAll(IMPORT)].flatMap(([, name = ""]) => {
    if (name.startsWith(".")) {
      const target = relative(".", resolve(dirname(path), name));
      return target.startsWith(`packages/${owner}/src/`)
        ? []
        : [`${path} reaches out of its package: ${name}`];
    }
    const [, ours, deeper] = /^@vitrine\/([^/]+)(\/.*)?$/.exec(name) ?? [];
    if (ours) {
      if (!ALLOWED[owner]?.includes(ours)) return [`${path} may not import ${name}`];
      // Bundled: nobody who installs the toolkit installs the package for hosts.
      if (owner === "server" && ours === "servers" && deeper !== "/support")
        return [`${path} may only import @vitrine/servers/support`];
      return deeper?.startsWith("/dist") ? [`${path} uses a back door: ${name}`] : [];
    }
    if (owner === "cli") return COMMAND.test(name) ? [] : [`${path} may not depend on ${name}`];
    if (owner === "workbench") {
      const isSkill = file === "model/server/skill-check.ts";
      const parsers = file.startsWith("model/markdown/") ? /^markdown-it$/ : isSkill ? /^yaml$/ : /^$/;
      const allowed = file.startsWith("ui/") ? PAGE : file.startsWith("node/") ? /^node:/ : parsers;
      return allowed.test(name) ? [] : [`${path} may not depend on ${name}`];
    }
    if (owner === "server") {
      const allowed = /^templates\/.*\/?page/.test(file) ? /^$/ : TOOLKIT;
      return allowed.test(name) ? [] : [`${path} may not depend on ${name}`];
    }
    if (owner === "servers") return SERVERS.test(name) ? [] : [`${path} may not depend on ${name}`];
    if (owner === "conversation") return CONVERSATION.test(name) ? [] : [`${path} may not depend on ${name}`];
    if (owner === "gateway") return GATEWAY.test(name) ? [] : [`${path} may not depend on ${name}`];
    const allowed = EXTERNAL[owner];
    return !allowed || allowed[name]?.test(file) ? [] : [`${path} may not depend on ${name}`];
  });
}

/** Pairs of folders of a package that import each other, directly or through others. */
function circles(sources: ReadonlyMap<string, string>): string[] {
  const folderOf = (path: string): string => path.replace(/^(packages\/[^/]+\/src)\/([^/]+\/)?.*$/, "$1/$2");
  const arrows = new Map<string, Set<string>>();
  for (const [path, source] of sources)
    for (const [, name = ""] of source.matchAll(IMPORT)) {
      const to = folderOf(relative(".", resolve(dirname(path), name)));
      if (name.startsWith(".") && to !== folderOf(path))
        arrows.set(folderOf(path), (arrows.get(folderOf(path)) ?? new Set()).add(to));
    }
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(arrows.get(from) ?? [])].some(
      (next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))),
    );
  const folders = [...arrows.keys()];
  return folders.flatMap((a) =>
    folders.filter((b) => a < b && reaches(a, b) && reaches(b, a)).map((b) => `${a} ↔ ${b}`),
  );
}

const isSource = (path: string): boolean => !/\.(test|test-d|examples|browser\.test)\.tsx?$/.test(path);

/** The source files in a folder, by path. */
const sources = (folder: string): Map<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((path) => join(folder, path))
      .filter((path) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path) && isSource(path))
      .map((path) => [path, readFileSync(path, "utf8")]),
  );

describe("imports", () => {
  it("point down only", () => {
    const files = [...sources("packages")];
    expect(files.length).toBeGreaterThan(20);
    expect(files.flatMap(([path, source]) => forbiddenImports(path, source))).toEqual([]);
  });

  it("no two folders of the gateway import each other", () => {
    const files = sources("packages/gateway/src");
    expect(files.size).toBeGreaterThan(100);
    expect(circles(files)).toEqual([]);
  });

  it("folders that import each other through a third one are found", () => {
    const files = new Map([
      ["packages/gateway/src/http/a.ts", 'import { b } from "../store/b.js";'],
      ["packages/gateway/src/store/b.ts", 'import { c } from "../guard/c.js";'],
      ["packages/gateway/src/guard/c.ts", 'import { a } from "../http/a.js";'],
      ["packages/gateway/src/asks/d.ts", 'import { a } from "../http/a.js";'],
    ]);
    expect(circles(files)).toHaveLength(3);
  });

  it.each([
    ["packages/protocol/src/a.ts", 'import { App } from "@vitrine/view";'],
    ["packages/protocol/src/a.ts", 'import type { App } from "@vitrine/view";'],
    ["packages/protocol/src/a.ts", 'export * from "@vitrine/host";'],
    ["packages/protocol/src/a.ts", 'const x = await import("@vitrine/view");'],
    ["packages/protocol/src/a.ts", 'import { z } from "zod";'],
    ["packages/protocol/src/a.ts", 'import fs from "node:fs";'],
    ["packages/view/src/app.ts", 'import { useState } from "react";'],
    ["packages/workbench/src/model/a.ts", 'import { useState } from "react";'],
    ["packages/workbench/src/ui/a.tsx", 'import { startGateway } from "@vitrine/gateway";'],
    ["packages/view/src/a.ts", 'import { x } from "../../protocol/src/peer.js";'],
    ["packages/view/src/a.ts", 'import { x } from "@vitrine/protocol/dist/peer.js";'],
    ["packages/workbench/src/a.ts", 'import { x } from "@vitrine/gateway";'],
    ["packages/host/src/bridge.ts", 'import { Sandbox } from "@vitrine/sandbox";'],
    ["packages/guard/src/service.ts", 'import { Bridge } from "@vitrine/host";'],
    ["packages/guard/src/service.ts", 'import { once } from "node:events";'],
    ["packages/gateway/src/gateway.ts", 'import { Bridge } from "@vitrine/host";'],
    ["packages/host/src/frame/frame.ts", 'import { useState } from "react";'],
    ["packages/sandbox/src/sandbox.ts", 'import { once } from "node:events";'],
    ["packages/gateway/src/gateway.ts", 'import { z } from "zod";'],
    ["packages/gateway/src/gateway.ts", 'import { createOpenAI } from "@ai-sdk/openai";'],
    ["packages/server/src/discovery/discover.ts", 'import { Supervisor } from "@vitrine/servers";'],
    ["packages/servers/src/pool.ts", 'import { startGateway } from "@vitrine/gateway";'],
    ["packages/conversation/src/turn.ts", 'import { startGateway } from "@vitrine/gateway";'],
    ["packages/gateway/src/gateway.ts", 'import { App } from "@vitrine/view";'],
  ])("are refused: %s: %s", (path, source) => {
    expect(forbiddenImports(path, source)).toHaveLength(1);
  });

  it.each([
    ["packages/view/src/app.ts", 'import { Peer } from "@vitrine/protocol";'],
    ["packages/view/src/react.ts", 'import { useState } from "react";'],
    ["packages/view/src/a.ts", 'import { x } from "./view.js";'],
    ["packages/cli/src/a.ts", 'import { x } from "@vitrine/gateway";'],
    ["packages/gateway/src/store/store.ts", 'import { Kysely } from "kysely";'],
  ])("are allowed: %s: %s", (path, source) => {
    expect(forbiddenImports(path, source)).toEqual([]);
  });
});
