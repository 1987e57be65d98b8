import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Server } from "@vitrine/servers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { iconOf } from "./server-icon.js";

const PIXEL = "data:image/png;base64,iVBORw0KGgo=";

describe("iconOf", () => {
  const listeners: HttpServer[] = [];
  let visits: string[] = [];
  let home: string;
  let away: string;

  async function listen(host: string): Promise<string> {
    const listener = createServer(({ url = "" }, response) => {
      visits.push(`${host}${url}`);
      if (url === "/silent.png") return;
      if (url === "/moved.png") return void response.writeHead(302, { location: `${away}/icon.png` }).end();
      response.writeHead(200, { "content-type": "image/png" }).end("png");
    });
    listeners.push(listener);
    await new Promise<void>((resolve) => listener.listen(0, host, resolve));
    return `http://${host}:${(listener.address() as AddressInfo).port}`;
  }

  beforeEach(async () => {
    visits = [];
    home = await listen("127.0.0.1");
    away = await listen("127.0.0.2");
  });
  afterEach(async () => {
    for (const listener of listeners.splice(0)) {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    }
  });

  /** Asks for an icon that the server names. */
  const ask = (src: string, transport: object, timeout?: number): Promise<string> => {
    const settings = { name: "x", transport } as unknown as Server["settings"];
    const status = { info: { icons: [{ src }] } } as unknown as Server["status"];
    const catalogue = async () => ({ tools: [], resources: [], templates: [], prompts: [], views: [] });
    return iconOf({ settings, status, catalogue }, src, new AbortController().signal, timeout);
  };
  const remote = (privateNetwork = false) => ({ type: "http", url: `${home}/mcp`, privateNetwork });

  it("comes from the origin of a remote server", async () => {
    expect(await ask(`${home}/icon.png`, remote())).toBe("data:image/png;base64,cG5n");
    expect(visits).toEqual(["127.0.0.1/icon.png"]);
  });

  it("is taken from nowhere else, even if private addresses are allowed", async () => {
    const stdio = { type: "stdio", command: "x", args: [] };
    for (const transport of [remote(), remote(true), stdio]) {
      for (const src of [
        `${away}/icon.png`,
        away.replace("http:", "https:"),
        "https://example.com/x.png",
        "file:///x.png",
        "x",
      ])
        await expect(ask(src, transport)).rejects.toMatchObject({ code: -32602 });
      expect(await ask(PIXEL, transport)).toBe(PIXEL);
    }
    await expect(ask(`${home}/icon.png`, stdio)).rejects.toMatchObject({ code: -32602 });
    expect(visits).toEqual([]);
  });

  it("does not follow a redirect", async () => {
    await expect(ask(`${home}/moved.png`, remote(true))).rejects.toMatchObject({
      data: { code: "address-forbidden" },
    });
    expect(visits).toEqual(["127.0.0.1/moved.png"]);
  });

  it("must arrive in time, also if the server never begins to answer", async () => {
    await expect(ask(`${home}/silent.png`, remote(), 100)).rejects.toMatchObject({
      data: { code: "server-failed" },
    });
  }, 5_000);
});
