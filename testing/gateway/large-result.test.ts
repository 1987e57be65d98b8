/** A large result of a conversation's call crosses the page's connection once, and its view gets it. */
import { connectGateway, type GatewayClient, type GatewayView, type ViewNotice } from "@vitrine/host/gateway";
import { JsonText } from "@vitrine/protocol";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { WebSocket as NodeSocket } from "ws";
import { EntryPoints, type PageStorage, pageStorage } from "./entry-points.ts";

const SIZE = 1_000_000;

let gatewayEntry: EntryPoints;
beforeAll(async () => {
  gatewayEntry = await EntryPoints.open(["ann"]);
});
afterAll(() => gatewayEntry?.close());

interface ClientPage {
  gateway: GatewayClient;
  storage: PageStorage;
  /** Bytes that the page has received. */
  received(): number;
  /** Loses the network; the page reconnects by itself. */
  cut(): void;
}

/** A page with the real client. */
function openPage(storage = pageStorage()): ClientPage {
  const { origin } = gatewayEntry.gateway;
  const sockets: NodeSocket[] = [];
  let bytes = 0;
  class Socket extends NodeSocket {
    constructor(url: string | URL) {
      const headers = { authorization: `Bearer ${gatewayEntry.tokenOf("ann")}`, origin };
      super(url, { headers, perMessageDeflate: false });
      sockets.push(this);
      this.on("message", (data: Buffer) => {
        bytes += data.length;
      });
    }
  }
  const gateway = connectGateway({
    url: `${origin}/api/session`,
    storage,
    WebSocket: Socket as unknown as typeof WebSocket,
  });
  onTestFinished(() => gateway.close());
  return {
    gateway,
    storage,
    received: () => bytes,
    cut: () => {
      for (const socket of sockets) socket.terminate();
    },
  };
}

/** Starts a call with a large result, and opens the view that shows it. */
async function startCall({ gateway }: ClientPage): Promise<{ id: string; view: GatewayView }> {
  const { id } = await gateway.request("conversation/open", {});
  const { item } = await gateway.request("conversation/call", {
    id,
    server: "shop",
    tool: "show",
    arguments: { size: SIZE, pause: 1500 },
  });
  const view = await gateway.openView({ server: "shop", tool: "show", call: { conversation: id, item } });
  expect(view.result).toBeUndefined();
  return { id, view };
}

/** The notices of a view, and the length of the text in its result. */
function follow(view: GatewayView): { notices: ViewNotice[]; length(): number } {
  const notices: ViewNotice[] = [];
  view.onnotice = (notice) => void notices.push(notice);
  return {
    notices,
    length: () => {
      const { result } = view;
      const read = (result instanceof JsonText ? result.parse() : result) as
        | { content: { text: string }[] }
        | undefined;
      return read?.content[0]?.text.length ?? 0;
    },
  };
}

const results = (notices: readonly ViewNotice[]): number =>
  notices.filter(({ method }) => method === "ui/notifications/tool-result").length;

it("the result crosses the connection once, and the view gets it once", async () => {
  const page = openPage();
  const { id, view } = await startCall(page);
  const { notices, length } = follow(view);
  const items: number[] = [];
  page.gateway.on("conversation/changed", (notice) => {
    if (notice.id === id) items.push(JSON.stringify(notice).length);
  });
  await expect.poll(length).toBe(SIZE);
  await expect.poll(() => Math.max(...items)).toBeGreaterThan(SIZE);
  // Later messages of both channels have arrived, too.
  await page.gateway.request("conversation/list", {});
  expect(results(notices)).toBe(1);
  expect(page.received()).toBeGreaterThan(SIZE);
  expect(page.received()).toBeLessThan(1.2 * SIZE);
});

it("a page that left the conversation gets the result on the channel of its view", async () => {
  const page = openPage();
  const { id, view } = await startCall(page);
  const { notices, length } = follow(view);
  await page.gateway.request("conversation/leave", { id });
  await expect.poll(length).toBe(SIZE);
  expect(results(notices)).toBe(1);
});

it("a page that lost its connection meanwhile gets the result", async () => {
  const page = openPage();
  const { view } = await startCall(page);
  const { notices, length } = follow(view);
  page.cut();
  await expect.poll(length).toBe(SIZE);
  expect(results(notices)).toBe(1);
});

it.each([
  ["before", 0],
  ["after", 2500],
])("a page that is reloaded gets the result, if it is back %s it arrives", async (_, pause) => {
  const first = openPage();
  const { view } = await startCall(first);
  const storage = first.storage.copy();
  first.cut();
  await new Promise((resolve) => setTimeout(resolve, pause));
  const second = openPage(storage);
  const [restored] = await second.gateway.restoreViews();
  expect(restored?.opened.call).toEqual(view.opened.call);
  const { length } = follow(restored as GatewayView);
  await expect.poll(length).toBe(SIZE);
});
