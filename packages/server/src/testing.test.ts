import { appServer, tool, view } from "@vitrine/server";
import { testServer } from "@vitrine/server/testing";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";

const page = view({ name: "page", html: "<p>here</p>", prefersBorder: true });
const order = tool({
  name: "order",
  input: z.object({ count: z.number().default(1) }),
  output: z.object({ left: z.number() }),
  view: page,
  run: ({ count }) => ({ left: 10 - count }),
});
const refresh = tool({ name: "refresh", visibility: ["app"], run: () => "done" });
const server = appServer({ name: "shop", version: "1.0.0", tools: [order, refresh] });

describe("a test of a server", () => {
  it("calls tools with their types, and reads views", async () => {
    const shop = await testServer(server);
    const [first, second] = await shop.tools();
    expect(first).toMatchObject({ name: "order", view: expect.stringMatching(/^ui:\/\/shop\/page\./) });
    expect(second).toMatchObject({ name: "refresh", visibility: ["app"] });
    const { structuredContent } = await shop.call("order", { count: 3 });
    expectTypeOf(structuredContent).toEqualTypeOf<{ left: number } | undefined>();
    expect(structuredContent).toEqual({ left: 7 });
    expect(await shop.call("order", { count: "x" as never })).toMatchObject({ isError: true });
    expect(await shop.view("order")).toMatchObject({ html: "<p>here</p>", meta: { prefersBorder: true } });
    expect(await shop.view("ui://shop/page")).toMatchObject({ html: "<p>here</p>" });
    await expect(shop.view("refresh")).rejects.toThrow("there is no tool refresh with a view");
    await expect(shop.view("ui://shop/none")).rejects.toThrow(/none/);
    await shop.close();
  });

  it("may be a client without views", async () => {
    const shop = await testServer(server, { views: false });
    const tools = await shop.tools();
    expect(tools.map(({ name, view: address }) => [name, address])).toEqual([["order", undefined]]);
    await shop.close();
  });
});
