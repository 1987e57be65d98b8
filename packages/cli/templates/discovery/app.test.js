import assert from "node:assert/strict";
import { test } from "node:test";
import { testServer } from "@vitrine/server/testing";
import { found } from "./app.js";

test("everything in the folders can be offered", async () => {
  assert.deepEqual(found.problems, []);
  const server = await testServer(found.server);
  for (const { view } of await server.tools()) {
    if (view) assert.match((await server.view(view)).html, /^<!doctype html>/i);
  }
  await server.close();
});

test("greets somebody, in data and in words", async () => {
  const server = await testServer(found.server);
  const { structuredContent, content } = await server.call("greet", { name: "Ada" });
  assert.deepEqual(structuredContent, { greeting: "Hello, Ada!" });
  assert.deepEqual(content, [{ type: "text", text: "Hello, Ada!" }]);
  await server.close();
});
