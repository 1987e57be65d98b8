/** Clients with false capabilities, on the wire: no official client would send such messages. */
import { InMemoryTransport, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { UI_EXTENSION, uiExtension } from "@vitrine/protocol";
import { appServer, tool, view } from "@vitrine/server";
import { afterEach, describe, expect, it } from "vitest";

const page = view({ name: "page", html: "<p>here</p>", uri: "ui://shop/page" });
const seen: string[] = [];
const look = tool({
  name: "look",
  view: page,
  run: (_input, { ui }) => {
    seen.push(ui);
    return "looked";
  },
});
const take = tool({ name: "take", view: page, visibility: ["app"], run: () => "taken" });
const shop = appServer({ name: "shop", version: "1", tools: [look, take] });

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  seen.length = 0;
  for (const close of open.splice(0)) await close();
});

type Answer = {
  readonly result?: Record<string, unknown>;
  readonly error?: { code: number; message: string };
};
type Ask = (method: string, params?: object) => Promise<Answer>;

/** A raw connection. */
async function connect(): Promise<Ask> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(shop.create, { transport: ours });
  const waiting = new Map<unknown, (answer: Answer) => void>();
  theirs.onmessage = (message) => waiting.get("id" in message ? message.id : undefined)?.(message as Answer);
  await theirs.start();
  open.push(
    () => theirs.close(),
    () => handle.close(),
  );
  let last = 0;
  return (method, params = {}) => {
    const id = ++last;
    const answer = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    void theirs.send({ jsonrpc: "2.0", id, method, params } as JSONRPCMessage);
    return answer;
  };
}

const clientInfo = { name: "liar", version: "1" };

/** A client of the older generation sends them once, a newer one with every request. */
const GENERATIONS: Readonly<Record<string, (capabilities: unknown) => Promise<Ask>>> = {
  "2025": async (capabilities) => {
    const ask = await connect();
    const begun = await ask("initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo });
    // Refused as a whole: as if it had sent nothing.
    if (begun.error) await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    return ask;
  },
  "2026": async (capabilities) => {
    const ask = await connect();
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": clientInfo,
      "io.modelcontextprotocol/clientCapabilities": capabilities,
    };
    return (method, params) => ask(method, { ...params, _meta });
  },
};

const deep = JSON.parse(`${'{"a":'.repeat(500)}1${"}".repeat(500)}`);
const GARBAGE: readonly [string, unknown][] = [
  ["no object", "all of them"],
  ["nothing", null],
  ["a list", [uiExtension()]],
  ["extensions that are a text", { extensions: "io.modelcontextprotocol/ui" }],
  ["extensions that are a list", { extensions: [UI_EXTENSION] }],
  ["an extension that is true", { extensions: { [UI_EXTENSION]: true } }],
  ["MIME types that are none", { extensions: { [UI_EXTENSION]: { mimeTypes: { length: 1e9 } } } }],
  [
    "MIME types of every kind",
    { extensions: { [UI_EXTENSION]: { mimeTypes: [null, 1, {}, "x".repeat(1e5)] } } },
  ],
  ["something deep", { extensions: { [UI_EXTENSION]: deep } }],
  ["a prototype", JSON.parse('{ "extensions": { "__proto__": { "io.modelcontextprotocol/ui": {} } } }')],
];

/** A JSON-RPC answer: a result, or an error with a code and a message. */
function expectWellFormed(answer: Answer): void {
  if (answer.error)
    expect(answer.error).toMatchObject({ code: expect.any(Number), message: expect.any(String) });
  else expect(answer.result).toBeTypeOf("object");
}

describe.each(Object.entries(GENERATIONS))("a client of %s", (_generation, begin) => {
  it.each(GARBAGE)(
    "with the capabilities %s gets well-formed answers, and does not affect the next client",
    async (_name, capabilities) => {
      const ask = await begin(capabilities);
      const answers = [
        await ask("tools/list"),
        await ask("tools/call", { name: "look", arguments: {} }),
        await ask("resources/list"),
        await ask("resources/read", { uri: "ui://shop/page" }),
      ];
      for (const answer of answers) expectWellFormed(answer);
      for (const ui of seen) expect(["yes", "no", "unknown"]).toContain(ui);
      const honest = await begin({ extensions: uiExtension() });
      expect((await honest("tools/list")).result).toMatchObject({
        tools: [{ name: "look" }, { name: "take" }],
      });
    },
  );

  it("that claims to show no views, and then uses app tools and views, gets normal answers", async () => {
    const ask = await begin({});
    expect((await ask("tools/list")).result).toMatchObject({ tools: [{ name: "look" }] });
    const { result: listed } = await ask("tools/list");
    expect(listed?.["tools"]).toHaveLength(1);
    // Hosts enforce visibility: a server cannot tell a view from a model.
    expect((await ask("tools/call", { name: "take", arguments: {} })).result).toMatchObject({
      content: [{ type: "text", text: "taken" }],
    });
    expect((await ask("resources/read", { uri: "ui://shop/page" })).result).toMatchObject({
      contents: [{ text: "<p>here</p>" }],
    });
    expectWellFormed(await ask("resources/read", { uri: "ui://shop/none" }));
    expect((await ask("tools/call", { name: "none", arguments: {} })).error).toMatchObject({ code: -32602 });
  });

  it("that claims to show views, and does not, gets text as well", async () => {
    const ask = await begin({ extensions: uiExtension() });
    expect((await ask("tools/call", { name: "look", arguments: {} })).result).toMatchObject({
      content: [{ type: "text", text: "looked" }],
    });
    expect(seen).toEqual(["yes"]);
  });
});
