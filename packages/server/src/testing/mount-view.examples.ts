import { appServer, tool, view } from "@vitrine/server";
import { form } from "@vitrine/server/templates";
import { mountView, testServer } from "@vitrine/server/testing";
import { JSDOM } from "jsdom";
import type { expect as Expect } from "vitest";
import { z } from "zod";

const order = tool({
  name: "order",
  input: z.object({ article: z.string(), count: z.number() }),
  output: z.object({ left: z.number() }),
  view: view({ name: "order", template: form, config: { title: "Order" } }),
  text: ({ left }) => `${left} are left.`,
  run: ({ count }) => ({ left: 42 - count }),
});
const shop = appServer({ name: "shop", version: "1.0.0", tools: [order] });

export async function mountViewExample(expect: typeof Expect) {
  //#region mountView
  const server = await testServer(shop);
  const { window } = new JSDOM("", { runScripts: "dangerously" });
  const mounted = await mountView({ server, tool: "order", window });
  await mounted.input({ article: "Green tea", count: 2 });
  mounted.document.querySelector("button")?.click();
  await mounted.settled();
  // The form called the tool on the test's server, and shows its answer.
  expect(mounted.calls[0]?.arguments).toEqual({ article: "Green tea", count: 2 });
  expect(mounted.text).toContain("40 are left.");
  expect(mounted.problems).toEqual([]);
  await mounted.close();
  await server.close();
  //#endregion mountView
}
