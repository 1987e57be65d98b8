/**
 * Whole conversations in the built workbench: a person, a model behind the real wire, official servers and their apps.
 */
import { fileURLToPath } from "node:url";
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
import { accessibilityProblems } from "../../../../testing/server/template-stage.ts";

let stage: GatewayStage;
let model: ScriptedModel;
let workbench: WorkbenchPage;
let page: Page;

const ASKING = fileURLToPath(new URL("../../../../testing/gateway/asking-server.mjs", import.meta.url));
const OFFICIAL = ["shadertoy", "threejs", "budget-allocator", "basic-vanillajs", "debug"];

beforeAll(async () => {
  model = await startScriptedModel();
  stage = await GatewayStage.open(
    {
      mcpServers: {
        asking: { command: process.execPath, args: [ASKING], policy: { "tools/call": "allow" } },
        ...Object.fromEntries(
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
      },
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
/** As everywhere in the workbench: advice on landmarks and levels of headings is not among them. */
const seriousProblems = async (): Promise<string[]> =>
  (await accessibilityProblems(page.mainFrame())).filter((each) => !/^(region|heading-order):/.test(each));

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
    expect(await seriousProblems()).toEqual([]);
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
    /** The filter takes parts of names: partial inputs are inputs to it. */
    const inputs = async (): Promise<number> =>
      (await workbench.countMessages("ui/notifications/tool-input")) -
      (await workbench.countMessages("ui/notifications/tool-input-partial"));
    await expect
      .poll(() => workbench.countMessages("ui/notifications/tool-input-partial"))
      .toBeGreaterThan(0);
    expect(await inputs()).toBe(0);
    rest.open();
    await said("There it is.").waitFor();
    await expect.poll(() => workbench.countMessages("ui/notifications/tool-result")).toBe(1);
    expect(await inputs()).toBe(1);
    const view = await workbench.appIn(card);
    await view.locator("canvas").first().waitFor();
    expect(workbench.complaints).toEqual([]);
  });

  it("L05: shows threejs while its arguments are written, and three calls at once", async () => {
    const rest = gate();
    const code = "const scene = new THREE.Scene(); renderer.render(scene, new THREE.Camera());";
    const text = JSON.stringify({ code });
    model.add(
      [
        callTool("threejs__show_threejs_scene", text.slice(0, 30), { fragment: 7 }),
        callTool("basic-vanillajs__get-time", {}, { index: 1 }),
        callTool("budget-allocator__get-budget-data", {}, { index: 2 }),
        waitFor(rest.opened),
        { do: "arguments", index: 0, text: text.slice(30) },
      ],
      say("Three apps."),
    );
    await tell("Show me everything.");
    const cards = page.getByRole("article").filter({ has: page.locator("mcp-app") });
    await expect.poll(() => cards.count()).toBe(3);
    await cards.first().locator("mcp-app").focus();
    rest.open();
    await said("Three apps.").waitFor();
    await expect.poll(() => cards.locator(".badge.good").count()).toBe(3);
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
  it("I05: what an app says reaches the model, if the person agrees", async () => {
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
    const [answer] = (model.requests.at(-1)?.body.messages ?? [])
      .filter(({ role }) => role === "tool")
      .slice(-1);
    expect(`${answer?.content}`.length).toBeGreaterThan(0);
    expect(await page.getByText(/in the app/).count()).toBeGreaterThan(0);
  });
});

describe("questions", () => {
  /** Has the server ask something, by hand. */
  const ask = (method: string, params: object): Promise<void> =>
    tell(`/asking ask ${JSON.stringify({ method, params })}`);
  const question = (name: RegExp): Locator => page.getByRole("alertdialog", { name });
  const answered = (text: string | RegExp): Promise<void> =>
    workbench.card("ask").getByText(text).first().waitFor();

  it("I11: a server asks the model, and the person changes what is asked, or says no", async () => {
    const params = {
      messages: [{ role: "user", content: { type: "text", text: "Name a fruit" } }],
      systemPrompt: "Be short.",
      maxTokens: 100,
    };
    model.add(say("A leek."));
    await ask("sampling/createMessage", params);
    const asked = question(/asking wants to ask the model/);
    await asked.getByRole("textbox", { name: "As the user, message 1" }).fill("Name a vegetable");
    expect(await seriousProblems()).toEqual([]);
    await asked.getByRole("button", { name: "Allow" }).click();
    await answered(/A leek\./);
    expect(saw()).toContain("Name a vegetable");
    expect(saw()).not.toContain("fruit");
    await ask("sampling/createMessage", params);
    await asked.getByRole("button", { name: "Deny" }).click();
    await workbench.card("ask").getByText("failed", { exact: true }).waitFor();
    expect(model.unscripted).toEqual([]);
  });

  it("a server asks the person, by a form that must be right", async () => {
    const requestedSchema = {
      type: "object",
      properties: { city: { type: "string", title: "City" }, days: { type: "integer", minimum: 1 } },
      required: ["city"],
    };
    await ask("elicitation/create", { mode: "form", message: "Where to?", requestedSchema });
    const asked = question(/The server asking asks/);
    await asked.getByText("Where to?").waitFor();
    await asked.getByRole("button", { name: "Answer" }).click();
    await asked
      .getByText(/required/i)
      .first()
      .waitFor();
    expect(await seriousProblems()).toEqual([]);
    await asked.getByRole("textbox", { name: "City" }).fill("Berne");
    await asked.getByRole("button", { name: "Answer" }).click();
    await answered(/"city":\s*"Berne"|Berne/);
    await ask("elicitation/create", { mode: "form", message: "Really?", requestedSchema });
    await asked.getByRole("button", { name: "Decline" }).click();
    await answered(/decline/);
  });

  it("a server sends the person to a page, whose site is named, and which opens only if they want", async () => {
    const params = {
      mode: "url",
      message: "Sign in",
      url: "https://accounts.example.com/login?x=1",
      elicitationId: "e1",
    };
    await ask("elicitation/create", params);
    const asked = question(/The server asking asks/);
    await asked.getByText("accounts.example.com").first().waitFor();
    expect(page.context().pages()).toHaveLength(1);
    await asked.getByRole("button", { name: "Cancel" }).click();
    await answered(/cancel/);
    expect(page.context().pages()).toHaveLength(1);
  });
});

describe("conversations", () => {
  it("are found, and opened again with their apps", async () => {
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
