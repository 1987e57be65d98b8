import assert from "node:assert/strict";
import { test } from "node:test";
import { mountView, testServer } from "@vitrine/server/testing";
import { found } from "./app.js";

test("every tool loads, and every view starts without an error", async () => {
  assert.deepEqual(found.problems, []);
  const server = await testServer(found.server);
  for (const { name, view } of await server.tools()) {
    if (!view) continue;
    const mounted = await mountView({ server, tool: name });
    assert.deepEqual(mounted.problems, [], name);
    await mounted.close();
  }
  await server.close();
});

test("greets somebody, in data, in text and in a view", async () => {
  const server = await testServer(found.server);
  const { structuredContent, content } = await server.call("greet", { name: "Ada" });
  assert.deepEqual(structuredContent, { greeting: "Hello, Ada!" });
  assert.deepEqual(content, [{ type: "text", text: "Hello, Ada!" }]);
  const view = await mountView({ server, tool: "greet" });
  await view.run({ name: "Ada" });
  await view.shows("Hello, Ada!");
  assert.deepEqual(view.problems, []);
  await view.close();
  await server.close();
});
