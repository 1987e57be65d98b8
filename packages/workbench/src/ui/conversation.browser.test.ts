/**
 * Whole conversations in the built workbench: a user, a model behind the real wire, official servers and
 * their apps.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Frame, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { GatewayStage, officialServer } from "../../../../testing/gateway/gateway-stage.ts";
import { builtWorkbench, WorkbenchPage } from "../../../../testing/gateway/workbench-page.ts";
import {
  callTool,
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
/** The file that holds the demo server. */
let folder: string;

const script = (name: string): string =>
  fileURLToPath(new URL(`../../../../testing/gateway/${name}.mjs`, import.meta.url));
const OFFICIAL = ["shadertoy", "threejs", "budget-allocator", "basic-vanillajs", "debug"];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-conversation-"));
  model = await startScriptedModel();
  stage = await GatewayStage.open(
    {
      mcpServers: {
        asking: {
          command: process.execPath,
          args: [script("asking-server")],
          policy: { "tools/call": "allow" },
        },
        demo: {
          command: process.execPath,
          args: [script("demo-server"), folder],
          isolation: "process",
          policy: { "tools/call": "allow" },
        },
        ...Object.fromEntries(
          OFFICIAL.map((name) => [
            name,
            {
              command: process.execPath,
              args: [officialServer(name), "--stdio"],
              relax: name === "threejs" ? ["unsafe-eval"] : [],
              // None of them marks its tools as read-only: the user has decided about all but one.
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
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  // A new conversation for each test; earlier ones are in the list.
  await workbench.newConversation();
});

/** The last request to the model. */
const saw = (): string => JSON.stringify(model.requests.at(-1)?.body.messages);
const tell = (text: string): Promise<void> => workbench.tell(text);
const said = (text: string | RegExp): Locator => page.getByRole("article").filter({ hasText: text }).last();
/** As everywhere in the workbench, without advice on landmarks and heading levels. */
const seriousProblems = async (): Promise<string[]> =>
  (await accessibilityProblems(page.mainFrame())).filter((each) => !/^(region|heading-order):/.test(each));

/** The app of the last call of a tool. */
const viewOf = (title: string): Promise<Frame> => workbench.appIn(workbench.card(title));
/** The model has finished. */
const quiet = (): Promise<void> =>
  page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });

/** The name under which the model is offered a tool of an open app, once the app has announced it. */
async function appTool(name: string): Promise<string> {
  let found: string | undefined;
  await expect
    .poll(async () => {
      model.add(say("Looking."));
      await tell("Which tools?");
      await quiet();
      const names = model.requests.at(-1)?.body.tools?.map((tool) => tool.function.name) ?? [];
      found = names.find((each) => each.startsWith("app") && each.endsWith(`__${name}`));
      return found;
    })
    .toBeTruthy();
  return found as string;
}

/** Makes the model use a tool of an app; returns the model's result. The user is asked about each tool once. */
async function useAppTool(
  name: string,
  input: Record<string, unknown> = {},
  isAsked = true,
): Promise<string> {
  // With a unique text, because the same tool may be used again.
  const end = `Used ${name}, after ${model.requests.length}.`;
  model.add(callTool(await appTool(name), input), say(end));
  await tell(`Use ${name}.`);
  if (isAsked) await workbench.agree();
  await said(end).waitFor();
  await quiet();
  return `${model.requests.at(-1)?.body.messages.findLast(({ role }) => role === "tool")?.content}`;
}

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
  it("streams the model's text, and shows its token usage", async () => {
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
    /** The filter matches parts of names: partial inputs are inputs to it. */
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
    // It shows what has been written so far.
    const scene = await workbench.appIn(cards.first());
    await scene.getByText(/const scene = new/).waitFor();
    rest.open();
    await said("Three apps.").waitFor();
    await expect.poll(() => cards.getByText("done", { exact: true }).count()).toBe(3);
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

  it("L06: is stopped in the middle of its arguments, and while a tool works: each app is notified", async () => {
    const never = gate();
    model.add([callTool("demo__show", '{"text":"hal'), waitFor(never.opened)]);
    await tell("Show half.");
    const half = await viewOf("Demo");
    await half.getByRole("button", { name: "read", exact: true }).waitFor();
    await workbench.button("Stop").click();
    await half.getByText(/^cancelled: /).waitFor();
    await quiet();
    await writeFile(join(folder, "hold"), "");
    model.add(callTool("demo__show-slow", { text: "slow" }));
    await tell("Show slowly.");
    await workbench.card("Slow demo").getByText("running").waitFor();
    const slow = await viewOf("Slow demo");
    await slow.getByText('{"text":"slow"}').waitFor();
    await workbench.button("Stop").click();
    await slow.getByText(/^cancelled: /).waitFor();
    await workbench.card("Slow demo").getByText("cancelled", { exact: true }).waitFor();
    await quiet();
    await rm(join(folder, "hold"));
    never.open();
  });

  it("continues while the page is reloaded, with an app that has half of its arguments", async () => {
    const rest = gate();
    const text = JSON.stringify({ text: "all of it" });
    model.add(
      [
        callTool("demo__show", text.slice(0, 12)),
        waitFor(rest.opened),
        { do: "arguments", index: 0, text: text.slice(12) },
      ],
      say("Shown."),
    );
    await tell("Show it.");
    await (await viewOf("Demo")).getByRole("button", { name: "read", exact: true }).waitFor();
    await page.reload();
    const view = await viewOf("Demo");
    await view.getByRole("button", { name: "read", exact: true }).waitFor();
    rest.open();
    await said("Shown.").waitFor();
    await view.getByText(text).waitFor();
    await view.getByText("shown all of it").waitFor();
    expect((await readFile(join(folder, "calls.log"), "utf8")).match(/^show$/gm)).toHaveLength(1);
  });

  it("continues while the page is reloaded", async () => {
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
  it("I05: an app's message reaches the model, if the user approves", async () => {
    model.add(callTool("debug__debug-tool", {}), say("Here is the debugger."));
    await tell("Debug.");
    // The app writes a log with a tool, which needs approval too.
    await workbench.agreeUntil(said("Here is the debugger."));
    const view = await workbench.appIn(workbench.lastApp);
    model.add(say("I heard the app."));
    await view.locator("#send-message-text-btn, button:has-text('Send Message')").first().click();
    await workbench.agreeUntil(said("I heard the app."));
    expect(await page.getByText(/written by the app/).count()).toBeGreaterThan(0);
  });

  it("I06: an app's model context is shown, sent with the next turn, and once", async () => {
    await tell("/demo show");
    const view = await viewOf("Demo");
    await view.getByRole("button", { name: "context", exact: true }).click();
    const chip = page.getByRole("region", { name: "Context of apps for the model" });
    await chip.getByRole("button", { name: /^Demo: what the model should know/ }).waitFor();
    model.add(say("I know."), say("Still."));
    await tell("What do you know?");
    await said("I know.").waitFor();
    expect(saw()).toContain("what the model should know");
    await quiet();
    await workbench.card("Demo").getByRole("button", { name: "Close app: show" }).click();
    await chip.getByText("app closed").waitFor();
    await tell("And now?");
    await said("Still.").waitFor();
    expect(saw().match(/what the model should know/g)).toHaveLength(1);
  });

  it("A01 to A06: the model uses the tools of budget-allocator's app, and the app shows it", async () => {
    model.add(callTool("budget-allocator__get-budget-data", {}), say("Here is the budget."));
    await tell("Show the budget.");
    await said("Here is the budget.").waitFor();
    const view = await workbench.appIn(workbench.lastApp);
    await useAppTool("set-total-budget", { amount: 250_000 });
    await expect.poll(() => view.locator("body").textContent()).toMatch(/Allocated:.*\/\s*\$250,000/);
    expect(await useAppTool("get-allocations")).toMatch(/250,?000/);
    expect(await page.getByText(/in the app/).count()).toBeGreaterThan(0);
  });

  it("A01 to A06: the model reads and changes the contents of shadertoy and threejs", async () => {
    const code = "renderer.render(new THREE.Scene(), new THREE.Camera());";
    model.add(
      [
        callTool("shadertoy__render-shadertoy", { title: "Sky", fragmentShader: SHADER }),
        callTool("threejs__show_threejs_scene", { code }, { index: 1 }),
      ],
      say("Both."),
    );
    await tell("Draw a sky and a scene.");
    await said("Both.").waitFor();
    expect(await useAppTool("get-shader-info")).toContain("iResolution");
    expect(await useAppTool("get-scene-info")).toContain("new THREE.Camera");
    const other = SHADER.replace("0.5", "0.25");
    await useAppTool("set-shader-source", { fragmentShader: other });
    expect(await useAppTool("get-shader-info", {}, false)).toContain("0.25");
    expect(workbench.complaints).toEqual([]);
  });

  it("I11: an app asks the model, if the user approves", async () => {
    await tell("/demo show");
    const view = await viewOf("Demo");
    await view.getByRole("button", { name: "read", exact: true }).waitFor();
    const ask = (): Promise<string> =>
      view.evaluate(
        `app.createSamplingMessage({ maxTokens: 50, messages: [{ role: "user", content: { type: "text", text: "Name a bird" } }] })
          .then(({ content }) => JSON.stringify(content), ({ message }) => "refused: " + message)`,
      );
    const asked = page.getByRole("alertdialog", { name: /wants to ask the model/ });
    model.add(say("A wren."));
    const answer = ask();
    await press(asked, "Allow");
    expect(await answer).toContain("A wren.");
    const refused = ask();
    await press(asked, "Deny");
    expect(await refused).toMatch(/^refused: /);
    expect(model.unscripted).toEqual([]);
  });
});

/** Presses a button of a question once it accepts presses. */
async function press(asked: Locator, name: string): Promise<void> {
  const button = asked.getByRole("button", { name, exact: true });
  await expect.poll(() => button.getAttribute("aria-disabled")).not.toBe("true");
  // A question over an app must see where the pointer comes from.
  await page.mouse.move(1, 1);
  await button.click();
}

describe("questions", () => {
  /** Makes the server ask a question, by a manual call. */
  const ask = (method: string, params: object): Promise<void> =>
    tell(`/asking ask ${JSON.stringify({ method, params })}`);
  const question = (name: RegExp): Locator => page.getByRole("alertdialog", { name });
  const answered = (text: string | RegExp): Promise<void> =>
    workbench.card("ask").getByText(text).first().waitFor();

  it("I11: a server asks the model, and the user edits the request, or denies it", async () => {
    const params = {
      messages: [{ role: "user", content: { type: "text", text: "Name a fruit" } }],
      systemPrompt: "Be short.",
      maxTokens: 100,
      temperature: 0.5,
      stopSequences: ["END"],
    };
    model.add(say("A leek."));
    await ask("sampling/createMessage", params);
    const asked = question(/asking wants to ask the model/);
    await asked.getByRole("textbox", { name: "As the user, message 1" }).fill("Name a vegetable");
    await asked.getByText('Temperature 0.5. The answer ends before "END".').waitFor();
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

  it("a server asks the user, with a form that is validated", async () => {
    const requestedSchema = {
      type: "object",
      properties: { city: { type: "string", title: "City" }, days: { type: "integer", minimum: 1 } },
      required: ["city"],
    };
    await ask("elicitation/create", { mode: "form", message: "Where to?", requestedSchema });
    const asked = question(/The server asking asks/);
    await asked.getByText("Where to?").waitFor();
    // The user is asked again after a reload.
    await page.reload();
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

  it("a server sends the user to a page, whose site is named, and which opens only with approval", async () => {
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
    await ask("elicitation/create", params);
    const opened = page.context().waitForEvent("page");
    await press(asked, "Open accounts.example.com");
    const other = await opened;
    await answered(/accept/);
    expect(await other.evaluate(() => opener)).toBe(null);
    await other.close();
  });
});

describe("conversations", () => {
  it("are renamed, exported and deleted", async () => {
    model.add(say("It is raining."));
    await tell("How is Bergen?");
    await said("It is raining.").waitFor();
    await quiet();
    await workbench.button("Conversations").click();
    const list = page.getByRole("dialog", { name: "Conversations" });
    const more = async (title: string, item: string): Promise<void> => {
      await list.getByRole("button", { name: `More about ${title}` }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    await more("How is Bergen?", "Rename…");
    await list.getByRole("textbox", { name: "Title of the conversation" }).fill("Rain in Bergen");
    await list.getByRole("button", { name: "Rename", exact: true }).click();
    await list.getByRole("button", { name: /^Rain in Bergen/ }).waitFor();
    const saved = page.waitForEvent("download");
    await more("Rain in Bergen", "Export as JSON");
    const file = await saved;
    expect(file.suggestedFilename()).toMatch(/^rain-in-bergen.*\.json$/i);
    const exported = JSON.parse(await readFile(await file.path(), "utf8"));
    expect(JSON.stringify(exported)).toContain("It is raining.");
    await more("Rain in Bergen", "Delete…");
    await list.getByRole("button", { name: "Delete", exact: true }).click();
    await list.getByRole("button", { name: /^Rain in Bergen/ }).waitFor({ state: "detached" });
    await list.getByRole("searchbox", { name: "Search conversations" }).fill("raining");
    await list.getByText(/No conversation has/).waitFor();
    await page.keyboard.press("Escape");
    expect(await said("It is raining.").count()).toBe(0);
  });

  it("are found, and opened again with their apps", async () => {
    model.add(callTool("basic-vanillajs__get-time", {}), say("That is the time."));
    await tell("What time is it in Zanzibar?");
    await said("That is the time.").waitFor();
    await tell('/demo show {"text":"kept"}');
    const left = await viewOf("Demo");
    await left.getByText("shown kept").waitFor();
    await left.evaluate("app.state.set('where it was left')");
    await workbench.newConversation();
    await page.getByText("What would you like to do?").waitFor();
    await workbench.openConversation(/Zanzibar/);
    await said("That is the time.").waitFor();
    const apps = page.getByRole("article").filter({ has: page.locator("mcp-app") });
    const clock = await workbench.appIn(apps.first());
    await clock
      .getByText(/Server Time|Time/)
      .first()
      .waitFor();
    const demo = await viewOf("Demo");
    await demo.getByText("shown kept").waitFor();
    expect(await demo.evaluate("app.state.get()")).toBe("where it was left");
    expect(workbench.complaints).toEqual([]);
  });

  it("work without a model: tools by hand, and instructions for adding one", async () => {
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
