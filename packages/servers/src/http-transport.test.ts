/** The stream of a server's own messages is cut, over real HTTP. */
import type { ServerResponse } from "node:http";
import { Client } from "@modelcontextprotocol/client";
import { expect, it, onTestFinished } from "vitest";
import { startHttpServer } from "../../../testing/gateway/http-server.ts";
import { HttpTransport } from "./http-transport.js";

/** A client at a server whose answer to GET is `status`. */
async function setUp({ status = 200 } = {}) {
  const http = await startHttpServer();
  const stage = { status, opened: 0, refused: 0 };
  const streams = new Set<ServerResponse>();
  http.stream = (_, response) => {
    if (stage.status !== 200) {
      stage.refused++;
      return void response.writeHead(stage.status).end();
    }
    stage.opened++;
    response.writeHead(200, { "content-type": "text/event-stream" }).write(": hello\n\n");
    streams.add(response.once("close", () => streams.delete(response)));
  };
  const transport = new HttpTransport(new URL(http.url), {
    fetch,
    reconnection: { initialReconnectionDelay: 5, maxReconnectionDelay: 20, maxRetries: 2 },
  });
  const events: string[] = [];
  transport.onstream = (event) => events.push(event);
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  onTestFinished(async () => {
    await client.close();
    await http.close();
  });
  await expect.poll(() => stage.opened + stage.refused).toBeGreaterThan(0);
  const cut = (): void => {
    for (const response of streams) response.destroy();
  };
  return { http, client, stage, events, cut };
}

it("a cut stream is reopened, and reported because messages may have been missed", async () => {
  const { stage, events, cut } = await setUp();
  expect(events).toEqual([]);
  cut();
  await expect.poll(() => events).toEqual(["reopened"]);
  // A server that closes its streams at once does not cause a flood of reports.
  for (const opened of [3, 4, 5]) {
    cut();
    await expect.poll(() => stage.opened).toBe(opened);
  }
  expect(events).toEqual(["reopened"]);
});

it("a cut stream is reopened after an outage of any length, in the same session", async () => {
  const { http, stage, events, cut } = await setUp();
  stage.status = 503;
  cut();
  // The official transport gives up after two attempts.
  await expect.poll(() => stage.refused).toBeGreaterThan(5);
  stage.status = 200;
  await expect.poll(() => events).toEqual(["reopened"]);
  expect(stage.opened).toBe(2);
  expect(http.received.filter(({ method }) => method === "initialize").length).toBe(1);
});

it("a stream that could not be opened at first is opened later", async () => {
  const { stage } = await setUp({ status: 503 });
  stage.status = 200;
  await expect.poll(() => stage.opened).toBe(1);
});

it.each([400, 404])("a session that the server has ended (HTTP %i) is reported", async (status) => {
  const { stage, events, cut } = await setUp();
  stage.status = status;
  cut();
  await expect.poll(() => events[0]).toBe("lost");
});

it.each([404, 405])("a server without such a stream (HTTP %i) is not asked again", async (status) => {
  const { stage, events } = await setUp({ status });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect([stage.refused, events]).toEqual([1, []]);
});

it("a response stream that is cut and resumed is not taken for it", async () => {
  const { http, client, stage, events, cut } = await setUp();
  let called: unknown;
  const { stream } = http;
  http.answer = ({ method, id }, response) => {
    if (method !== "tools/call") return false;
    called = id;
    const head = response.writeHead(200, { "content-type": "text/event-stream" });
    head.write("id: 41\ndata:\n\n", () => response.destroy());
    return true;
  };
  http.stream = (request, response) => {
    if (request.headers["last-event-id"] === undefined) return stream(request, response);
    const answer = { jsonrpc: "2.0", id: called, result: { content: [] } };
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`data: ${JSON.stringify(answer)}\n\n`);
  };
  await client.callTool({ name: "do" });
  expect([stage.opened, events]).toEqual([1, []]);
  cut();
  await expect.poll(() => events).toEqual(["reopened"]);
});
