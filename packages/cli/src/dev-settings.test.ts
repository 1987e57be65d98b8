import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GatewaySettings, readSettings } from "@vitrine/gateway";
import { afterAll, describe, expect, it } from "vitest";
import { type DevServerOptions, devSettings } from "./dev-settings.js";

const cwd = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-dev-")));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
const at = { cwd, home: cwd, env: { PATH: process.env["PATH"], HOME: cwd }, platform: "linux" } as const;

const DEMOS = ["weather", "board", "lab"];
const file = join(cwd, "servers.json");
writeFileSync(file, JSON.stringify({ mcpServers: { shop: { command: "a" }, mail: { command: "b" } } }));
writeFileSync(join(cwd, "shop.js"), "");
mkdirSync(join(cwd, "folder"));
writeFileSync(
  join(cwd, "folder", "mcp.json"),
  JSON.stringify({ mcpServers: { shop: { command: "of-the-folder" } } }),
);

async function plan(names: string[], options: DevServerOptions = {}) {
  const notes: string[] = [];
  const trust = { isApproved: async () => true, approve: async () => {} };
  return { ...(await devSettings(names, options, at, trust, (note) => notes.push(note))), notes };
}
const names = ({ servers }: GatewaySettings): string[] => [...servers.keys()];

describe("vitrine dev runs", () => {
  it("the demos, if there is nothing else, with a note", async () => {
    const { settings, notes } = await plan([]);
    expect(names(settings)).toEqual(DEMOS);
    expect(notes).toEqual(["there is no settings file in the usual locations: the demos are shown"]);
  });

  it("the demos alone or beside others with --demos, without reading a file", async () => {
    writeFileSync(join(cwd, "mcp.json"), "wrong");
    expect(names((await plan([], { demos: true })).settings)).toEqual(DEMOS);
    expect(names((await plan(["node shop.js"], { demos: true })).settings)).toEqual(["shop", ...DEMOS]);
    await expect(plan([])).rejects.toThrow("mcp.json");
    rmSync(join(cwd, "mcp.json"));
  });

  it("all servers of the settings file by default, also after it changed", async () => {
    const { settings, again, file: used } = await plan([], { config: file });
    expect([names(settings), used]).toEqual([["shop", "mail"], file]);
    expect([...settings.servers.values()].map(({ start, trusted }) => [start, trusted])).toEqual([
      ["lazy", false],
      ["lazy", false],
    ]);
    const changed = await readSettings({ mcpServers: { news: { command: "c" } } }, { env: at.env });
    expect(names(again(changed))).toEqual(["news"]);
  });

  it("the named servers, immediately and trusted, and no others", async () => {
    const { settings, again } = await plan(["mail", "node other.js"], { config: file });
    expect(names(settings)).toEqual(["mail", "other"]);
    for (const server of settings.servers.values())
      expect(server).toMatchObject({ start: "eager", trusted: true });
    const mcpServers = { mail: { command: "new" }, more: { command: "x" } };
    const later = again(await readSettings({ mcpServers }, { env: at.env }));
    expect(names(later)).toEqual(["mail", "other"]);
    expect(later.servers.get("mail")?.transport).toMatchObject({ command: "new" });
    expect(names(again(await readSettings({}, { env: at.env })))).toEqual(["other"]);
  });

  it("servers given on the command line, whatever the file names", async () => {
    for (const words of [
      ["node shop.js", "mail"],
      ["mail", "node shop.js"],
    ]) {
      const { settings, again } = await plan(words, { config: file });
      const mcpServers = {
        shop: { command: "of-the-file" },
        mail: { command: "new" },
        "shop-2": { command: "x" },
      };
      const later = again(await readSettings({ mcpServers }, { env: at.env }));
      for (const { servers } of [settings, later]) {
        expect(new Set(servers.keys())).toEqual(new Set(["mail", "shop-2"]));
        expect(servers.get("shop-2")?.transport).toMatchObject({ command: "node", args: ["shop.js"] });
      }
    }
    // The file has no server with that name yet, and gets one while the command runs.
    const { again } = await plan(["node other.js"], { config: file });
    const other = again(
      await readSettings({ mcpServers: { other: { command: "of-the-file" } } }, { env: at.env }),
    );
    expect(other.servers.get("other")?.transport).toMatchObject({ command: "node" });
    // A folder's own servers keep their names, and are not those of the file.
    const ofFolder = await plan(["./folder", "mail"], { config: file });
    const changed = ofFolder.again(
      await readSettings({ mcpServers: { shop: { command: "a" } } }, { env: at.env }),
    );
    for (const { servers } of [ofFolder.settings, changed])
      expect(servers.get("shop")?.transport).toMatchObject({ command: "of-the-folder" });
    const demos = await plan(["mail", "node weather.js"], { config: file, demos: true });
    expect(names(demos.settings)).toEqual(["mail", "weather", "weather-2", "board", "lab"]);
    expect(demos.settings.servers.get("weather")?.transport).toMatchObject({ args: ["weather.js"] });
  });

  it("the servers of the file with the added variables, also after it changed", async () => {
    const added = async (words: string[]) => {
      const { settings, again } = await plan(words, { config: file, env: ["A=1"] });
      const changed = again(await readSettings({ mcpServers: { mail: { command: "b" } } }, { env: at.env }));
      return [settings, changed].map(({ servers }) => servers.get("mail")?.transport);
    };
    for (const words of [[], ["mail"]])
      for (const transport of await added(words)) expect(transport).toMatchObject({ env: { A: "1" } });
  });

  it("nothing as trusted with --strict", async () => {
    const { settings } = await plan(["mail", "node other.js"], { config: file, strict: true });
    for (const { trusted, transport } of settings.servers.values()) {
      expect(trusted).toBe(false);
      expect(transport).toMatchObject({ isolation: { driver: "auto" } });
    }
  });

  it("no two servers of one name", async () => {
    await expect(plan(["mail", "mail"], { config: file })).rejects.toThrow('two servers are named "mail"');
  });
});
