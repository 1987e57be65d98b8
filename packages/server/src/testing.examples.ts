import { testServer } from "@vitrine/server/testing";
import { weather } from "./server.examples.js";

export async function testServerExample(expect: (value: unknown) => { toBe(other: unknown): void }) {
  //#region testServer
  const server = await testServer(weather);
  const { structuredContent } = await server.call("forecast", { city: "Berne" });
  expect(structuredContent?.city).toBe("Berne");
  const { html } = await server.view("forecast");
  expect(html.includes("<title>Forecast</title>")).toBe(true);
  await server.close();
  //#endregion testServer
}
