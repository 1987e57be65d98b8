/** Apps of other dialects in the built workbench: a real gateway and server in Chromium, and answers of a user. */
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { GatewayStage } from "../../../../testing/gateway/gateway-stage.js";
import { builtWorkbench, WorkbenchPage } from "../../../../testing/gateway/workbench-page.js";

declare const openai: {
  toolOutput: { temperature: number } | null;
  setWidgetState(state: object): Promise<void>;
  sendFollowUpMessage(message: object): Promise<void>;
  widgetState: unknown;
};

const SERVER = fileURLToPath(new URL("../../../../testing/dialects/dialect-server.mjs", import.meta.url));

let stage: GatewayStage;
let workbench: WorkbenchPage;
beforeAll(async () => {
  const command = process.execPath;
  const mcpServers = {
    dialects: { command, args: [SERVER, "https://shop.example.com/app"], isolation: "process" },
  };
  stage = await GatewayStage.open({ mcpServers }, builtWorkbench());
  workbench = await WorkbenchPage.open(stage.context, stage.gateway.loginUrl());
}, 120_000);
afterAll(() => stage?.close());

it("T07: a widget of the Apps SDK works, and its messages become the user's after a question", async () => {
  await workbench.pick({ server: "dialects", title: "Weather" });
  const card = await workbench.run("Weather");
  await workbench.agreeUntil(card.locator("mcp-app"));
  const view = await workbench.appIn(card);
  await expect.poll(() => view.evaluate(() => openai.toolOutput?.temperature)).toBe(21);
  await view.evaluate(() => openai.setWidgetState({ modelContent: { city: "Oslo" } }));
  const sent = view.evaluate(() => openai.sendFollowUpMessage({ prompt: "And in Oslo?" }));
  const turn = workbench.page.getByRole("article").filter({ hasText: "written by the app Weather" });
  await workbench.agreeUntil(turn.getByText("And in Oslo?").first());
  await sent;
});

it("T07: a document in a result of mcp-ui is shown, and again after a reload", async () => {
  await workbench.pick({ server: "dialects", title: "Cart" });
  const card = await workbench.run("Cart");
  await workbench.agreeUntil(card.locator("mcp-app"));
  await expect.poll(async () => (await workbench.appIn(card)).locator("p").textContent()).toBe("Two apples");
  await workbench.page.reload();
  const again = workbench.card("Cart");
  await again.locator("mcp-app").waitFor();
  await expect.poll(async () => (await workbench.appIn(again)).locator("p").textContent()).toBe("Two apples");
  expect(workbench.complaints).toEqual([]);
});
