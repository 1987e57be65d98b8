import assert from "node:assert/strict";
import { test } from "node:test";
import { mountView, testServer } from "@vitrine/server/testing";
import { app } from "./app.js";

test("greets somebody, in data and in text", async () => {
  const server = await testServer(app);
  const { structuredContent, content } = await server.call("greet", { name: "Ada" });
  assert.equal(structuredContent?.greeting, "Hello, Ada!");
  assert.deepEqual(content, [{ type: "text", text: "Hello, Ada!" }]);
  await server.close();
});

test("shows the greeting without script errors", async () => {
  const server = await testServer(app);
  const view = await mountView({ server, tool: "greet" });
  await view.run({ name: "Ada" });
  await view.shows("Hello, Ada!");
  assert.deepEqual(view.problems, []);
  await view.close();
  await server.close();
});

test("requires a name", async () => {
  const server = await testServer(app);
  const { isError } = await server.call("greet", { name: "" });
  assert.equal(isError, true);
  await server.close();
});
