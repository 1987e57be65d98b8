import { testServer } from "@vitrine/server/testing";
import { expect, test } from "vitest";
import { weather } from "./weather.js";

test("the tool and its view", async () => {
  const server = await testServer(weather);
  const { structuredContent } = await server.call("forecast", { city: "Berne" });
  expect(structuredContent?.city).toBe("Berne");
  const { html } = await server.view("forecast");
  expect(html).toContain("<title>Forecast</title>");
  await server.close();
});
