import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
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

async function plan(names: string[], options: DevServerOptions = {}) {
  const notes: string[] = [];
  return { ...(await devSettings(names, options, at, (note) => notes.push(note))), notes };
}
const names = ({ servers }: GatewaySettings): string[] => [...servers.keys()];

describe("vitrine dev runs", () => {
  it("the demos, where there is nothing else, and says so", async () => {
    const { settings, notes } = await plan([]);
    expect(names(settings)).toEqual(DEMOS);
    expect(notes).toEqual(["there is no settings file in the usual places: the demos are shown"]);
  });

  it("the demos alone or beside others, when it is told to; and looks at no file then", async () => {
    writeFileSync(join(cwd, "mcp.json"), "wrong");
    expect(names((await plan([], { demos: true })).settings)).toEqual(DEMOS);
    expect(names((await plan(["node shop.js"], { demos: true })).settings)).toEqual(["shop", ...DEMOS]);
    await expect(plan([])).rejects.toThrow("mcp.json");
    rmSync(join(cwd, "mcp.json"));
  });

  it("all servers of the settings file, when none is named; as they are after it has changed, too", async () => {
    const { settings, again, file: used } = await plan([], { config: file });
    expect([names(settings), used]).toEqual([["shop", "mail"], file]);
    expect([...settings.servers.values()].map(({ start, trusted }) => [start, trusted])).toEqual([
      ["lazy", false],
      ["lazy", false],
    ]);
    const changed = await readSettings({ mcpServers: { news: { command: "c" } } }, { env: at.env });
    expect(names(again(changed))).toEqual(["news"]);
  });

  it("the servers that are named, at once and trusted, and no others", async () => {
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

  it("nothing that is trusted, if it is strict", async () => {
    const { settings } = await plan(["mail", "node other.js"], { config: file, strict: true });
    for (const { trusted, transport } of settings.servers.values()) {
      expect(trusted).toBe(false);
      expect(transport).toMatchObject({ isolation: { driver: "auto" } });
    }
  });

  it("no two servers of one name", async () => {
    await expect(plan(["mail", "mail"], { config: file })).rejects.toThrow('two servers are called "mail"');
  });
});
