/**
 * Whole conversations in the built workbench: a person, a model behind the real wire, official servers and their apps.
 */
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { GatewayStage, officialServer } from "../../../../testing/gateway/gateway-stage.ts";
import { builtWorkbench, WorkbenchPage } from "../../../../testing/gateway/workbench-page.ts";
import {
  callTool,
  type Script,
  type ScriptedModel,
  say,
  startScriptedModel,
  waitFor,
} from "../../../../testing/model/scripted-model.ts";

let stage: GatewayStage;
let model: ScriptedModel;
let workbench: WorkbenchPage;
let page: Page;

const OFFICIAL = ["shadertoy", "threejs", "budget-allocator", "basic-vanillajs", "debug"];

beforeAll(async () => {
  model = await startScriptedModel();
  stage = await GatewayStage.open(
    {
      mcpServers: Object.fromEntries(
        OFFICIAL.map((name) => [
          name,
          {
            command: process.execPath,
            args: [officialServer(name), "--stdio"],
            relax: name === "threejs" ? ["unsafe-eval"] : [],
            // None says that its tools only read: but for one, the person has decided.
            policy: name === "debug" ? {} : { "tools/call": "allow" },
          },
        ]),
      ),
      model: { use: "local/scripted", providers: { local: { url: model.url, models: ["scripted"] } } },
    },
    builtWorkbench(),
  );
  workbench = await WorkbenchPage.open(stage.context, stage.gateway.loginUrl());
  ({ page } = workbench);
});
afterAll(async () => {
  await stage?.close();
  await model?.close();
});
beforeEach(async () => {
  // Another conversation for each: what was before is in the list.
  await workbench.newConversation();
});

/** What the model was sent last. */
const saw = (): string => JSON.stringify(model.requests.at(-1)?.body.messages);
const tell = (text: string): Promise<void> => workbench.tell(text);
const said = (text: string | RegExp): Locator => page.getByRole("article").filter({ hasText: text }).last();
/** A gate that a test opens. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const SHADER = "void mainImage(out vec4 c, in vec2 p) { c = vec4(p / iResolution.xy, 0.5, 1.0); }";

describe("a turn", () => {
  it("streams what the model says, and tells what it cost", async () => {
    const half = gate();
    model.add([
      say("It is ", "sunny"),
      waitFor(half.opened),
      say(" in Rome."),
      { do: "usage", input: 12, output: 5 },
    ]);
    await tell("How is the weather?");
    await said("It is sunny").waitFor();
    expect(await page.getByRole("button", { name: "Stop", exact: true }).isVisible()).toBe(true);
    half.open();
    await said("It is sunny in Rome.").waitFor();
    await page.getByText("17 tokens").waitFor();
    expect(workbench.complaints).toEqual([]);
  });

  it("L05: shows shadertoy while its arguments are written", async () => {
    const rest = gate();
    const text = JSON.stringify({ title: "Sky", fragmentShader: SHADER });
    const half = text.slice(0, text.indexOf("mainImage"));
    model.add(
      [
        callTool("shadertoy__render-shadertoy", half, { fragment: 9 }),
        waitFor(rest.opened),
        { do: "arguments", index: 0, text: text.slice(half.length) },
      ],
      say("There it is."),
    );
    await tell("Draw a sky.");
    const card = workbench.lastApp;
    await card.waitFor();
    await expect
      .poll(() => workbench.countMessages("ui/notifications/tool-input-partial"))
      .toBeGreaterThan(0);
    expect(await workbench.countMessages("ui/notifications/tool-input")).toBeGreaterThan(0);
    rest.open();
    await said("There it is.").waitFor();
    await expect.poll(() => workbench.countMessages("ui/notifications/tool-result")).toBe(1);
    const view = await workbench.appIn(card);
    await view.locator("canvas").first().waitFor();
    expect(workbench.complaints).toEqual([]);
  });

  it("is stopped in the middle of a word", async () => {
    const never = gate();
    model.add([say("One, two"), waitFor(never.opened), say(", three")]);
    await tell("Count.");
    await said("One, two").waitFor();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByRole("button", { name: "Send", exact: true }).waitFor();
    never.open();
    expect(await said("One, two").textContent()).not.toContain("three");
    model.add(say("Yes."));
    await tell("Are you there?");
    await said("Yes.").waitFor();
  });

  it("goes on while the page is reloaded", async () => {
    const rest = gate();
    model.add([say("Before "), waitFor(rest.opened), say("and after.")]);
    await tell("Take your time.");
    await said("Before").waitFor();
    await page.reload();
    await said("Before").waitFor();
    rest.open();
    await said("Before and after.").waitFor();
  });
});

describe("apps and the model", () => {
  it("I05, I06: what an app says and wants known reaches the model", async () => {
    model.add(callTool("debug__debug-tool", {}), say("Here is the debugger."));
    await tell("Debug.");
    await workbench.agree();
    await said("Here is the debugger.").waitFor();
    const view = await workbench.appIn(workbench.lastApp);
    model.add(say("I heard the app."));
    await view.locator("#send-message-text-btn, button:has-text('Send Message')").first().click();
    await workbench.agree();
    await said("I heard the app.").waitFor();
    expect(await page.getByText(/said by the app/).count()).toBeGreaterThan(0);
  });

  it("A01 to A06: the model uses the tools of budget-allocator's app", async () => {
    model.add(callTool("budget-allocator__get-budget-data", {}), say("Here is the budget."));
    await tell("Show the budget.");
    await said("Here is the budget.").waitFor();
    await workbench.appIn(workbench.lastApp);
    const call: Script = (seen) => {
      const names = seen.body.tools?.map((tool) => tool.function.name) ?? [];
      const name = names.find((each) => /^app.*__/.test(each)) ?? "none";
      return callTool(name, {});
    };
    await expect
      .poll(async () => {
        model.add(say("Looking."));
        await tell("Which tools?");
        await page.getByRole("button", { name: "Send", exact: true }).waitFor();
        return model.requests.at(-1)?.body.tools?.some((tool) => /^app/.test(tool.function.name));
      })
      .toBe(true);
    model.add(call, say("The app did it."));
    await tell("Use it.");
    await workbench.agree();
    await said("The app did it.").waitFor();
    expect(saw()).toContain("tool");
  });
});

describe("conversations", () => {
  it("are opened again with their apps, renamed, found and deleted", async () => {
    model.add(callTool("basic-vanillajs__get-time", {}), say("That is the time."));
    await tell("What time is it in Zanzibar?");
    await said("That is the time.").waitFor();
    await workbench.newConversation();
    await page.getByText("Nothing has been called yet").waitFor();
    await workbench.openConversation(/Zanzibar/);
    await said("That is the time.").waitFor();
    const view = await workbench.appIn(workbench.lastApp);
    await view
      .getByText(/Server Time|Time/)
      .first()
      .waitFor();
    expect(workbench.complaints).toEqual([]);
  });

  it("work without a model: tools by hand, and it says how to have one", async () => {
    await workbench.chooseModel(/No model/);
    await tell("Hello?");
    await page
      .getByRole("article")
      .filter({ hasText: /choose one, or call tools by hand/ })
      .first()
      .waitFor();
    await tell("/basic-vanillajs get-time");
    await workbench.appIn(workbench.lastApp);
    await workbench.chooseModel(/scripted/);
  });
});
