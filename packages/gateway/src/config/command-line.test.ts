import { describe, expect, it } from "vitest";
import { commandLineServer } from "./command-line.js";
import { commandLineServerExample } from "./config.examples.js";
import { readSettings } from "./read.js";

describe("commandLineServer", () => {
  it("accepts a command with arguments, without the environment and fully sandboxed", () => {
    const server = commandLineServer(["node", "dist/weather.js", "--say=$(id)"], { cwd: "/work" });
    expect(server).toMatchObject({
      name: "weather",
      trusted: true,
      start: "eager",
      transport: {
        type: "stdio",
        command: "node",
        args: ["dist/weather.js", "--say=$(id)"],
        env: {},
        cwd: "/work",
        isolation: { driver: "auto", network: false },
      },
    });
  });

  it("accepts an address", () => {
    expect(commandLineServer(["http://localhost:3001/mcp"])).toMatchObject({
      name: "localhost",
      transport: { type: "http", url: "http://localhost:3001/mcp", oauth: true, privateNetwork: true },
    });
  });

  it.each([
    [["npx", "-y", "@modelcontextprotocol/server-pdf@2.0.4", "--stdio"], "server-pdf"],
    [["uvx", "mcp-server-git"], "mcp-server-git"],
    [["/usr/bin/python3.12", "-m", "weather"], "weather"],
    [["/opt/tools/my server"], "my-server"],
    [["node", "/opt/server-debug/dist/index.js"], "server-debug"],
    [["node", "./server.js"], "server"],
    [["npx"], "npx"],
    [["./.."], "server"],
    [["x".repeat(100)], "x".repeat(56)],
  ])("%j is named %s", (words, name) => {
    expect(commandLineServer(words).name).toBe(name);
  });

  it("finds an unused name, ignoring case", () => {
    expect(commandLineServer(["weather"], { taken: ["Weather", "weather-2"] }).name).toBe("weather-3");
  });

  it.each([
    [[], "names no server"],
    [[" "], "names no server"],
    [["a\0b"], "NUL"],
    [["ftp://example.com"], "begin it with https://"],
    [["http://example.com/mcp"], "must be https"],
    [["https://example.com", "--header"], "a URL stands alone"],
  ])("%j is rejected", (words, message) => {
    expect(() => commandLineServer(words)).toThrow(message);
  });

  it("is trusted no more than others with `strict`", async () => {
    expect(commandLineServer(["x"], { strict: true }).trusted).toBe(false);
    const servers = [commandLineServer(["x"])];
    const env = { HOME: "/home/ana" };
    expect((await readSettings({}, { env, servers })).servers.get("x")?.trusted).toBe(true);
    expect((await readSettings({ strict: true }, { env, servers })).servers.get("x")?.trusted).toBe(false);
    await expect(readSettings({ mcpServers: { X: { command: "y" } } }, { env, servers })).rejects.toThrow(
      "differs only in case",
    );
  });

  it("the example works", () => {
    const { weather, remote } = commandLineServerExample();
    expect([weather.name, remote.name]).toEqual(["server-weather", "mcp.example.com"]);
  });
});
