import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chromium } from "playwright-core";

// Standard output is one JSON object. The address in it signs in one browser, once: start a host for each run.
const server = "npx mcp-server-basic-vanillajs --stdio";
const host = spawn("npx", ["vitrine", "dev", "--test-mode", "--no-open", "--json", server], {
  stdio: ["ignore", "pipe", "inherit"],
  detached: true, // A separate process group, so that the end of this file can stop npx and everything it started.
});
let output = "";
while (!output.includes("}")) output += await new Promise((resolve) => host.stdout.once("data", resolve));
const { url } = JSON.parse(output);

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM });
try {
  const page = await browser.newPage();
  await page.goto(url);
  await page.waitForFunction(() => "__mcpAppsHost" in globalThis);
  await page.evaluate(() => globalThis.__mcpAppsHost.resetEnvironment());

  const frame = await page.evaluateHandle(() => globalThis.__mcpAppsHost.displayTestApp("get-time"));
  assert.ok(await frame.evaluate((element) => element.sandbox.contains("allow-scripts")));

  // Click in the app as a user would, and answer the host's question.
  const view = (await frame.contentFrame()).childFrames()[0];
  await view.getByRole("button", { name: "Open Link" }).click();
  const asked = await page.evaluate(() => globalThis.__mcpAppsHost.confirmAction("deny"));
  assert.equal(asked.method, "ui/open-link");

  const { tools } = await page.evaluate(() => globalThis.__mcpAppsHost.getConversationContext());
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["get-time"],
  );
  console.log("passed");
} finally {
  await browser.close();
  process.kill(-host.pid);
}
