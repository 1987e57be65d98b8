import { appServer, tool, view } from "@vitrine/server";
import { form } from "@vitrine/server/templates";
import { mountView, testServer } from "@vitrine/server/testing";
import { expect, test } from "vitest";
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

test("the form calls the tool and shows its answer", async () => {
  const server = await testServer(shop);
  const mounted = await mountView({ server, tool: "order" });
  await mounted.input({ article: "Green tea", count: 2 });
  mounted.document.querySelector("button")?.click();
  await mounted.settled();
  expect(mounted.calls[0]?.arguments).toEqual({ article: "Green tea", count: 2 });
  expect(mounted.text).toContain("40 are left.");
  expect(mounted.problems).toEqual([]);
  await mounted.close();
  await server.close();
});
