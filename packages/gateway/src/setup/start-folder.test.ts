import { describe, expect, it } from "vitest";
import { startingIn } from "./start-folder.js";

const HOME = "/home/ana/.config/vitrine/mcp.json";
const WORK = "/home/ana/work";
const started = (entry: object) => startingIn(WORK, HOME, { ...entry });

describe("the folder of a new program", () => {
  it.each([
    ["node", "dist/index.js", "--stdio"],
    ["node", "server.js"],
    ["uv", "run", "weather.py"],
    ["npx", "-y", "@modelcontextprotocol/server-filesystem", "."],
    ["docker", "run", "-v", "./data:/data", "mcp/files"],
    ["server", "--config=settings.json"],
    ["bin/server", "--stdio"],
  ])("is the terminal's for %s %s %s", (command, ...args) => {
    expect(started({ command, args })).toEqual({ command, args, cwd: WORK });
  });

  it.each([
    ["npx", "-y", "@modelcontextprotocol/server-everything"],
    ["npx", "ana/notes"],
    ["docker", "run", "-i", "mcp/time"],
    ["uvx", "--from", "git+https://example.com/a/b.py", "notes"],
    ["node", "/srv/notes/index.js"],
    ["node", "~/notes/index.js"],
    ["server", "--url", "https://example.com/a.json"],
    ["/usr/bin/server"],
  ])("is not written for %s %s %s, which runs anywhere", (command, ...args) => {
    expect(started({ command, args })).toEqual({ command, args });
  });

  it("is absolute, like the program and the paths of its isolation", () => {
    const isolation = { driver: "auto", read: ["docs", "/srv", "~/notes"], write: ["./out"] };
    expect(started({ command: "./server", cwd: "sub", isolation })).toEqual({
      command: `${WORK}/server`,
      cwd: `${WORK}/sub`,
      isolation: { driver: "auto", read: [`${WORK}/docs`, "/srv", "~/notes"], write: [`${WORK}/out`] },
    });
  });

  it("is that of the settings file, where that is the same folder: the file can move", () => {
    const entry = { command: "node", args: ["server.js"], cwd: "sub" };
    expect(startingIn(WORK, `${WORK}/.vscode/mcp.json`, entry)).toEqual(entry);
    expect(startingIn(WORK, `${WORK}/mcp.json`, entry)).toEqual(entry);
  });

  it("concerns no address", () => {
    expect(started({ url: "https://example.com/a.js" })).toEqual({ url: "https://example.com/a.js" });
  });
});
