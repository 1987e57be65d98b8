import assert from "node:assert/strict";
import { test } from "node:test";
import { testServer } from "@vitrine/server/testing";
import { app } from "./app.js";

test("greets somebody, in data, in words and in a view", async () => {
  const server = await testServer(app);
  const { structuredContent, content } = await server.call("greet", { name: "Ada" });
  assert.equal(structuredContent?.greeting, "Hello, Ada!");
  assert.deepEqual(content, [{ type: "text", text: "Hello, Ada!" }]);
  const { html } = await server.view("greet");
  assert.match(html, /<title>Greeting<\/title>/);
  await server.close();
});

test("wants a name", async () => {
  const server = await testServer(app);
  const { isError } = await server.call("greet", { name: "" });
  assert.equal(isError, true);
  await server.close();
});
