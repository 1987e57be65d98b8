import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { configPlaces, firstFile, servePlaces } from "./config-places.js";

const folder = mkdtempSync(join(tmpdir(), "vitrine-places-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("configPlaces", () => {
  it("starts with the folder's own files, and ends with the user's other clients", () => {
    const at = { cwd: "/project", home: "/home/ana", env: {}, platform: "linux" } as const;
    expect(configPlaces(at)).toEqual([
      "/project/.mcp.json",
      "/project/mcp.json",
      "/project/.vscode/mcp.json",
      "/project/.cursor/mcp.json",
      "/home/ana/.config/vitrine/mcp.json",
      "/home/ana/.cursor/mcp.json",
      "/home/ana/.config/Claude/claude_desktop_config.json",
    ]);
    expect(configPlaces({ ...at, platform: "darwin" }).at(-1)).toBe(
      "/home/ana/Library/Application Support/Claude/claude_desktop_config.json",
    );
    expect(configPlaces({ ...at, env: { XDG_CONFIG_HOME: "/x" } })).toContain("/x/vitrine/mcp.json");
  });

  it("ignores other clients for serve", () => {
    const places = servePlaces({ cwd: "/project", home: "/home/ana", env: {}, platform: "linux" });
    expect(places).toEqual(["/project/.mcp.json", "/project/mcp.json", "/home/ana/.config/vitrine/mcp.json"]);
  });

  it("takes the first existing file", () => {
    const at = { cwd: folder, home: folder, env: {}, platform: "linux" } as const;
    expect(firstFile(configPlaces(at))).toBeUndefined();
    mkdirSync(join(folder, ".cursor"));
    writeFileSync(join(folder, ".cursor/mcp.json"), "{}");
    expect(firstFile(configPlaces(at))).toBe(join(folder, ".cursor/mcp.json"));
    writeFileSync(join(folder, "mcp.json"), "{}");
    expect(firstFile(configPlaces(at))).toBe(join(folder, "mcp.json"));
  });
});
