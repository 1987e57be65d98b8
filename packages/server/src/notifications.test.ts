/** Notifications to clients: of resources that change, and of the progress of a call. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { type AppServer, type AppServerOptions, appServer, serve, tool, view } from "@vitrine/server";
import { afterEach, describe, expect, it } from "vitest";

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

type Generation = "2025" | "2026";

/**
 * A client by stdio, or by HTTP if there is a URL. `updated` has the addresses of which it was notified, `sent`
 * the methods of all messages to it.
 */
async function connect(server: AppServer, generation: Generation, url?: string) {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: generation === "2025" ? { mode: "legacy" } : { mode: { pin: "2026-07-28" } } },
  );
  const updated: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    updated.push(params.uri);
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const sent: string[] = [];
  const send = ours.send.bind(ours);
  ours.send = (message, options) => {
    if ("method" in message) sent.push(message.method);
    return send(message, options);
  };
  if (url === undefined) {
    const handle = serveStdio(server.create, { transport: ours });
    open.push(() => handle.close());
  }
  await client.connect(url === undefined ? theirs : new StreamableHTTPClientTransport(new URL(url)));
  open.push(() => client.close());
  const subscribe = async (uri: string): Promise<unknown> =>
    generation === "2025"
      ? client.subscribeResource({ uri })
      : client.listen({ resourceSubscriptions: [uri] });
  return { client, updated, sent, subscribe };
}

const CARDS = "board://cards";
const OTHER = "board://people";
const boardOf = (options: Partial<AppServerOptions<readonly []>> = {}) =>
  appServer({ name: "board", version: "1.0.0", tools: [], subscribable: [CARDS, OTHER], ...options });

describe.each(["2025", "2026"] as const)("a client of %s", (generation) => {
  it("is notified of the resource that it subscribed to, and of no other", async () => {
    const server = boardOf();
    const { client, updated, subscribe } = await connect(server, generation);
    expect(client.getServerCapabilities()?.resources?.subscribe).toBe(true);
    await subscribe(CARDS);
    server.resourceUpdated(OTHER);
    server.resourceUpdated(CARDS);
    await expect.poll(() => updated).toEqual([CARDS]);
  });

  it("is not offered subscriptions by a server without such resources", async () => {
    for (const subscribable of [undefined, []]) {
      const { client } = await connect(boardOf({ subscribable }), generation);
      expect(client.getServerCapabilities()?.resources?.subscribe).toBeUndefined();
    }
  });

  it("keeps the tools that it was offered if they are replaced without `reloads`", async () => {
    const greet = tool({ name: "greet", run: () => "Hello" });
    const server = appServer({ name: "board", version: "1.0.0", tools: [greet], subscribable: [CARDS] });
    const { client } = await connect(server, generation);
    expect((await client.listTools()).tools).toHaveLength(1);
    await server.replace({
      tools: [{ ...greet, name: "greet" }],
      views: [view({ name: "v", html: "<p>v</p>" })],
    });
    expect((await client.listResources().catch(() => ({ resources: [] }))).resources).toEqual([]);
  });

  it("sees the progress of a call if it asks", async () => {
    const steps = tool({
      name: "steps",
      run: async (_input, { progress }) => {
        await progress(0, 2, "first");
        await progress(1.5);
        return "done";
      },
    });
    const server = appServer({ name: "slow", version: "1.0.0", tools: [steps] });
    const { client, sent } = await connect(server, generation);
    const seen: unknown[] = [];
    const onprogress = (each: unknown): void => void seen.push(each);
    await client.callTool({ name: "steps" }, { onprogress });
    expect(seen).toEqual([{ progress: 0, total: 2, message: "first" }, { progress: 1.5 }]);
    const { content } = await client.callTool({ name: "steps" });
    expect(content).toEqual([{ type: "text", text: "done" }]);
    expect(sent).toEqual(["notifications/progress", "notifications/progress"]);
  });
});

it("a client that unsubscribed, or left, is not notified", async () => {
  const server = boardOf();
  const { client, updated, subscribe } = await connect(server, "2025");
  const other = await connect(server, "2025");
  await subscribe(CARDS);
  await other.subscribe(CARDS);
  await client.unsubscribeResource({ uri: CARDS });
  server.resourceUpdated(CARDS);
  await expect.poll(() => other.updated).toEqual([CARDS]);
  expect(updated).toEqual([]);
  await other.client.close();
  server.resourceUpdated(CARDS);
  expect(other.updated).toEqual([CARDS]);
});

it("a subscription to anything else is refused, and says what can change", async () => {
  const { subscribe } = await connect(boardOf(), "2025");
  await expect(subscribe("file:///etc/passwd")).rejects.toThrow(
    `cannot subscribe to file:///etc/passwd: only ${CARDS}, ${OTHER} can change`,
  );
  await expect(subscribe("ui://board/board")).rejects.toThrow("cannot subscribe");
});

it("with `reloads`, views can be subscribed to besides", async () => {
  const { subscribe } = await connect(boardOf({ reloads: true }), "2025");
  await subscribe("ui://board/board");
  await subscribe(CARDS);
  await expect(subscribe("file:///etc/passwd")).rejects.toThrow("cannot subscribe");
});

it("over HTTP, clients that can listen are notified; stateless ones are not offered it", async () => {
  const server = boardOf();
  const serving = await serve(server, { argv: ["--http"] });
  open.push(() => serving.close());
  const { updated, subscribe } = await connect(server, "2026", serving.url);
  await subscribe(CARDS);
  server.resourceUpdated(OTHER);
  server.resourceUpdated(CARDS);
  await expect.poll(() => updated).toEqual([CARDS]);
  const { client } = await connect(server, "2025", serving.url);
  expect(client.getServerCapabilities()?.resources?.subscribe).toBeUndefined();
});

it("an update of a resource that nobody can subscribe to is an error", () => {
  expect(() => boardOf().resourceUpdated("board://card")).toThrow("board://card is not subscribable");
});
