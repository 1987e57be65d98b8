import assert from "node:assert/strict";
import { test } from "node:test";
import { mountView, testServer } from "@vitrine/server/testing";
import { app } from "./app.js";

test("lists planets, in data and in text", async () => {
  const server = await testServer(app);
  const { structuredContent, content } = await server.call("planets", { withMoons: true });
  assert.deepEqual(
    structuredContent?.items.map(({ name }) => name),
    ["Earth", "Mars"],
  );
  assert.match(JSON.stringify(content), /\| Earth \| 12756 \| 1 \|/);
  await server.close();
});

test("shows the planets without script errors", async () => {
  const server = await testServer(app);
  const view = await mountView({ server, tool: "planets" });
  await view.run({ withMoons: true });
  await view.shows(/Diameter in km.*Earth.*Mars/);
  assert.deepEqual(view.problems, []);
  await view.close();
  await server.close();
});
