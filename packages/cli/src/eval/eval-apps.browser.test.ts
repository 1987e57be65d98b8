/** Cases that expect something of apps, with real servers in a real browser, and their recordings in the built workbench. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunningGateway } from "@vitrine/gateway";
import type { Browser, FrameLocator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LIMIT, sharedChromium } from "../../../../testing/browser.js";
import { demo, EvalStage, official } from "../../../../testing/cli/eval-stage.js";
import { startTestGateway } from "../../../../testing/gateway/gateway-stage.js";
import { builtWorkbench } from "../../../../testing/gateway/workbench-page.js";
import {
  callTool,
  type ModelSaw,
  type Script,
  say,
  usage,
} from "../../../../testing/model/scripted-model.js";

let browser: Browser;
let stage: EvalStage;
/** A gateway without servers, whose workbench opens the recordings. */
let elsewhere: RunningGateway;

/** Calls the tool that the sentence names, and says what the sentence wants. */
const script = (saw: ModelSaw): Script => {
  const { body } = saw;
  const sentence = JSON.stringify(body.messages.findLast(({ role }) => role === "user"));
  const isDone = body.messages.at(-1)?.role === "tool";
  if (isDone) return [say("Here **it** is."), usage(30, 3)];
  if (sentence.includes("Just talk")) return [say("I only talk."), usage(10, 1)];
  if (sentence.includes("laboratory")) return callTool("lab__app_tools", {});
  if (sentence.includes("Roll")) return callTool("app_1__roll_dice", { sides: 6 });
  if (sentence.includes("Paint")) return callTool("app_1__paint", { hue: 120 });
  if (sentence.includes("hello")) return [say("Hello!"), usage(10, 1)];
  if (sentence.includes("Lima"))
    return [...callTool("weather__forecast", { city: "Lima", days: 2 }), usage(20, 2)];
  if (sentence.includes("Oslo")) return [...callTool("weather__forecast", { city: "Oslo" }), usage(20, 2)];
  if (sentence.includes("time")) return [...callTool("clock__get-time", {}), usage(20, 2)];
  if (sentence.includes("weather")) return [...callTool("weather__forecast", { city: "Rome" }), usage(20, 2)];
  throw new Error(`no answer to ${sentence}`);
};

beforeAll(async () => {
  browser = await sharedChromium();
  stage = await EvalStage.open(script, { browser, pages: builtWorkbench() });
  await stage.settings({}, { weather: demo("weather"), clock: official("basic-vanillajs") });
  ({ gateway: elsewhere } = await startTestGateway({}, join(stage.folder, "elsewhere"), builtWorkbench()));
});
afterAll(async () => {
  await elsewhere?.close();
  await stage?.close();
  await browser?.close();
});

it("says what apps show, by text and role, and why one does not", async () => {
  const { code, report } = await stage.run(
    `
models: scripted/priced
# This server does not say that its tool only reads.
allow: clock/get-time
cases:
  - name: as expected
    turns:
      - say: What time is it?
        expect: { app: { tool: clock/get-time, role: button, name: Get Server Time } }
      - say: How is the weather?
        expect: { app: { tool: weather/forecast, text: Rome, no-text: Oslo } }
    expect: { app: [{ tool: clock/get-time, text: Server Time }, Rome] }
  - name: not as expected
    say: How is the weather?
    expect:
      app:
        - Oslo
        - { tool: weather/forecast, no-text: Rome }
        - { role: button, name: Get Server Time }
        - { tool: clock/get-time }
  - name: no app
    say: Just talk
    expect: { app: anything }
`,
    { recordings: join(stage.folder, "runs") },
  );
  expect(code).toBe(1);
  const [good, bad, none] = report.results.map(({ runs }) => runs[0]);
  expect(good).toMatchObject({ outcome: "passed", reasons: [] });
  expect(bad?.reasons).toEqual([
    expect.stringMatching(/^the app of weather\/forecast does not show "Oslo"; it shows ".*Rome/s),
    'the app of weather/forecast shows "Rome"',
    'the app of weather/forecast has no button named "Get Server Time"',
    "no app of clock/get-time was shown",
  ]);
  expect(none?.reasons).toEqual(["no app was shown"]);
});

it("an app writes to the conversation, as in the workbench: the model gets its context", async () => {
  const file = `
models: scripted/priced
cases:
  - name: context
    turns: [How is the weather?, Just talk]
    expect: { answer: only talk }
`;
  /** The messages of the last request. */
  const told = async (text: string): Promise<string> => {
    const { report } = await stage.run(text);
    expect(report.results[0]).toMatchObject({ ok: true });
    return JSON.stringify(stage.model.requests.at(-1)?.body.messages.findLast(({ role }) => role === "user"));
  };
  // The demo tells the model which city it shows.
  expect(await told(`apps: true\n${file}`)).toContain("Rome");
  expect(await told(file)).not.toContain("Rome");
});

it("the model calls tools of an open app: those that only read, and those that the file allows", async () => {
  await stage.settings({}, { lab: demo("lab") });
  const file = `
models: scripted/priced
cases:
  - name: die
    turns:
      - Open the laboratory
      - say: Roll the die
        expect: { calls: { tool: lab/roll_dice, arguments: { sides: 6 } }, app: "roll_dice:" }
      - say: Paint it
        expect: { calls: lab/paint, app: "paint: 120" }
`;
  const denied = await stage.run(file);
  expect(denied.report.results[0]?.runs[0]).toMatchObject({
    outcome: "failed",
    reasons: [expect.stringMatching(/^turn 3: the app of lab\/app_tools does not show "paint: 120"/)],
    denied: [{ what: "lab/paint", allow: "lab/paint" }],
  });
  const allowed = await stage.run(`allow: lab/paint\n${file}`);
  expect(allowed.report.results[0]?.runs[0]).toMatchObject({ outcome: "passed", reasons: [], denied: [] });
});

it("the example of the documents does what they say", async () => {
  const example = await readFile(new URL("../../../../examples/eval/weather.yml", import.meta.url), "utf8");
  await stage.settings({}, { weather: demo("weather") });
  const { code, report } = await stage.run(example, { model: ["scripted/unpriced"] });
  expect(report.results.map(({ runs }) => [runs[0]?.outcome, runs[0]?.reasons])).toEqual([
    ["passed", []],
    ["passed", []],
    ["passed", []],
  ]);
  expect(code).toBe(0);
});

const open = async (): Promise<Page> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(LIMIT);
  const page = await context.newPage();
  await page.goto(`${elsewhere.loginUrl()}#inspect`);
  await page.getByRole("button", { name: "Recording" }).waitFor();
  return page;
};
const appIn = (page: Page, index: number): FrameLocator =>
  page.locator("mcp-app").nth(index).locator("iframe").contentFrame().locator("iframe").contentFrame();
const play = (page: Page, path: string): Promise<void> =>
  page.getByLabel("Recording", { exact: true }).and(page.locator("input")).setInputFiles(path);

it("the recording of a run opens in the workbench without its servers: sentences, calls, answers, apps", async () => {
  const page = await open();
  const folder = join(stage.folder, "runs");
  await play(page, join(folder, "as-expected.scripted-priced.1.vitrine.jsonl"));
  await page
    .getByText("Recording of “as expected”, run 1 with scripted/priced: it was as expected.")
    .waitFor();
  await expect.poll(() => page.locator("mcp-app").count()).toBe(2);
  await appIn(page, 0).getByRole("button", { name: "Get Server Time" }).waitFor();
  await appIn(page, 1).getByRole("heading", { name: "Rome" }).waitFor();
  const articles = page.getByRole("region", { name: "Conversation" }).getByRole("article");
  await articles.filter({ hasText: "What time is it?" }).waitFor();
  expect(await articles.filter({ hasText: "Here it is." }).count()).toBe(2);
  // Nothing can be asked about them: they are not in a conversation of this gateway.
  expect(await page.getByRole("button", { name: /^(Edit this message|Regenerate|Retry)$/ }).count()).toBe(0);
  // The apps play like every recording.
  await page
    .getByRole("region", { name: "Replay" })
    .getByRole("button", { name: "Same", exact: true })
    .waitFor();

  await play(page, join(folder, "not-as-expected.scripted-priced.1.vitrine.jsonl"));
  await page
    .getByText(/it was not as expected: the app of weather\/forecast does not show “?"Oslo"/)
    .waitFor();
  await play(page, join(folder, "no-app.scripted-priced.1.vitrine.jsonl"));
  await page.getByText(/it was not as expected: no app was shown/).waitFor();
  await articles.filter({ hasText: "I only talk." }).waitFor();

  const path = join(stage.folder, "broken.vitrine.jsonl");
  const text = await readFile(join(folder, "no-app.scripted-priced.1.vitrine.jsonl"), "utf8");
  await writeFile(path, `${text}nonsense\n`);
  await play(page, path);
  await page
    .getByRole("alert")
    .getByText(/broken.vitrine.jsonl cannot be played: line \d+: not a JSON object/)
    .waitFor();
  await page.context().close();
});
