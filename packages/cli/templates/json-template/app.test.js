import assert from "node:assert/strict";
import { test } from "node:test";
import { testServer } from "@vitrine/server/testing";
import { app } from "./app.js";

test("lists planets, in data, in words and in a view", async () => {
  const server = await testServer(app);
  const { structuredContent, content } = await server.call("planets", { withMoons: true });
  assert.deepEqual(
    structuredContent?.items.map(({ name }) => name),
    ["Earth", "Mars"],
  );
  assert.match(JSON.stringify(content), /\| Earth \| 12756 \| 1 \|/);
  const { html } = await server.view("planets");
  assert.match(html, /Diameter in km/);
  await server.close();
});
