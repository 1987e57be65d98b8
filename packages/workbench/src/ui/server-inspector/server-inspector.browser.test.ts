/** The built workbench, walked through as a user of MCP Inspector would. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunningGateway } from "@vitrine/gateway";
import axe from "axe-core";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LIMIT, sharedChromium } from "../../../../../testing/browser.ts";
import { startTestGateway } from "../../../../../testing/gateway/gateway-stage.ts";
import { serveProgram } from "../../../../../testing/gateway/served-program.ts";
import { builtWorkbench } from "../../../../../testing/gateway/workbench-page.ts";

const script = (name: string): string =>
  fileURLToPath(
    new URL(`../../../../../testing/${name.includes("/") ? name : `gateway/${name}`}.mjs`, import.meta.url),
  );
const program = (name: string, ...args: string[]) => ({
  command: process.execPath,
  args: [script(name), ...args],
});

/** A secret of the settings. */
const KEY = "key-of-the-operator-55";

let evil: Awaited<ReturnType<typeof startListener>>;
let endRemote: (() => Promise<void>) | undefined;
let folder: string;
let browser: Browser;
let gateway: RunningGateway;
let page: Page;
let inspector: Locator;
const complaints: string[] = [];
/** Addresses outside of the gateway that the page asked for. */
const strangers: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-server-inspector-"));
  browser = await sharedChromium();
  evil = await startListener();
  const remote = await serveProgram(script("whole-server"), ["modern", "http"]);
  endRemote = remote.close;
  const mcpServers = {
    whole: { ...program("whole-server", "legacy"), env: { EVIL: evil.origin } },
    modern: program("whole-server", "modern"),
    tasks: program("tasks-server"),
    later: program("modern-tasks-server"),
    kinds: program("workbench/kinds-server", folder),
    odd: program("workbench/odd-server"),
    extras: program("extras-server", "legacy"),
    remote: { url: remote.url, oauth: false, headers: { "X-Key": KEY } },
  };
  ({ gateway } = await startTestGateway({ mcpServers }, folder, builtWorkbench()));
  const context = await browser.newContext({ viewport: { width: 1600, height: 1000 } });
  context.setDefaultTimeout(LIMIT);
  page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(`${error}`));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (/^https?:$/.test(url.protocol) && url.origin !== gateway.origin) strangers.push(request.url());
  });
  await page.goto(`${gateway.loginUrl()}#inspect`);
  inspector = page.getByRole("region", { name: "Inspector" });
  await inspector.getByRole("radio", { name: "Server" }).click();
}, 60_000);
afterAll(async () => {
  await page?.context().close();
  await gateway?.close();
  await endRemote?.();
  evil?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Counts connections, which a browser may open without a request. */
async function startListener() {
  let count = 0;
  const listener = createServer((socket) => {
    count++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, connections: () => count, close: () => listener.close() };
}

const tab = (name: string) => inspector.getByRole("tab", { name: new RegExp(`^${name}`) }).click();
const panel = () => inspector.getByRole("tabpanel");
const section = (name: string) => panel().getByRole("region", { name, exact: true });
const button = (name: string, at: Locator = panel()) => at.getByRole("button", { name, exact: true });

async function inspect(server: string): Promise<void> {
  await inspector.getByRole("button", { name: /The server to inspect/ }).click();
  await page.getByRole("option", { name: server, exact: true }).click();
}

/** Presses the button Save of this tab, and reads the file. */
async function save(): Promise<string> {
  const saved = page.waitForEvent("download");
  await button("Save").click();
  return readFile(await (await saved).path(), "utf8");
}

async function axeFinds(): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: run } = globalThis as unknown as { axe: typeof axe };
    const { violations } = await run.run(".inspector-pane");
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  });
}

it("overview: version, capabilities, instructions, ping and icon", async () => {
  await section("About the server").getByText("Everything 1.2.0").waitFor();
  await section("About the server").getByText("2025-11-25, with sessions").waitFor();
  await section("Capabilities").getByText("completions").waitFor();
  await section("Instructions").getByText("Ask for the weather of a **city**.").waitFor();
  await section("About the server").locator("img.si-icon").waitFor();
  await button("Ping").click();
  await section("About the server")
    .getByText(/Answered after [\d.]+ m?s/)
    .waitFor();
});

it("roots: set in the page, and offered after a restart", async () => {
  const roots = section("Roots");
  await roots.getByLabel("New root").fill("file:///srv/data");
  await button("Add root").click();
  await roots.getByText("file:///srv/data").waitFor();
  await button("Restart now").click();
  await expect.poll(() => button("Restart now").count()).toBe(0);
  await roots.getByLabel("New root").fill("no address");
  await button("Add root").click();
  await roots.getByRole("alert").getByText("is not an address").waitFor();
});

it("resources: read as Markdown and as an image, a template with completion, and updates", async () => {
  await tab("Resources");
  const notes = section("notes");
  await button("Read", notes).click();
  await notes.getByRole("heading", { name: "Today" }).waitFor();
  await button("Subscribe", notes).click();
  await button("Subscribed", notes).waitFor();
  await button("Read", section("pixel")).click();
  await section("pixel").locator("img.picture").waitFor();
  const forecast = section("forecast");
  await forecast.getByLabel("country").fill("Norway");
  await forecast.getByLabel("city").fill("O");
  await forecast.getByText("Suggestions: Oslo").waitFor();
  await forecast.getByLabel("city").fill("Oslo");
  await button("Read", forecast).click();
  await forecast.getByText('"Oslo"').waitFor();
});

it("resources by type: CSV as a table, HTML as a harmless preview, and the pages of a PDF", async () => {
  await tab("Resources");
  const csv = section("csv");
  await button("Read", csv).click();
  await csv.getByRole("columnheader", { name: "said" }).waitFor();
  await csv.getByRole("cell", { name: 'cold, and "wet"' }).waitFor();
  await csv.getByText("2 rows", { exact: true }).waitFor();
  const html = section("page");
  await button("Read", html).click();
  const preview = html.frameLocator("iframe");
  await preview.getByRole("heading", { name: "Good day" }).waitFor();
  await preview.getByRole("img", { name: "near" }).waitFor();
  // Nothing of it runs, and nothing leads away.
  expect.soft(await html.locator("iframe").getAttribute("sandbox")).toBe("");
  const markup = await preview.locator("html").innerHTML();
  expect.soft(markup).not.toContain(evil.origin);
  expect
    .soft(markup)
    .not.toMatch(/<(script|link|style|iframe|form|svg|template|base)\b|href|onclick|refresh/i);
  expect(await axeFinds()).toEqual([]);
  await html.getByRole("button", { name: /View of/ }).click();
  await page.getByRole("option", { name: "Source", exact: true }).click();
  await html.getByText(/rel="preconnect"/).waitFor();
  const paper = section("paper");
  await button("Read", paper).click();
  await paper.getByText("PDF 1.4, 2 pages.", { exact: false }).waitFor();
  await paper.getByRole("button", { name: /^Save/ }).waitFor();
  expect.soft(evil.connections()).toBe(0);
});

it("prompts: arguments with completion, a preview, and a problem", async () => {
  await tab("Prompts");
  const compare = section("Compare cities");
  expect(await button("Get the prompt", compare).isDisabled()).toBe(true);
  await compare.getByLabel("first (required)").fill("Ber");
  await compare.getByText("Suggestions: Bergen, Berlin, Bern").waitFor();
  await compare.getByLabel("first (required)").fill("Bergen");
  await button("Get the prompt", compare).click();
  await compare.getByText("Compare Bergen with home.").waitFor();
  await compare.getByText("With pleasure.").waitFor();
});

it("tools: an output schema that fits, progress, and a notified change", async () => {
  await tab("Tools");
  const add = section("add");
  await button("Open add").click();
  await add.getByLabel(/^a\b/).fill("19");
  await add.getByLabel(/^b\b/).fill("23");
  await button("Run", add).click();
  await add.getByText("The result fits the output schema").waitFor();
  await add.getByText("42", { exact: true }).waitFor();
  await button("Open steps").click();
  await button("Run", section("steps")).click();
  await section("steps").getByText("Progress: 1/3, 2/3, 3/3").waitFor();
  await button("Open change_note").click();
  await button("Run", section("change_note")).click();
  await section("change_note").getByText("changed", { exact: true }).waitFor();
  await tab("Resources");
  await section("notes").getByText("changed once since you read it").waitFor();
});

it("requests: repeated, edited, compared and saved, with times and errors", async () => {
  await tab("Requests");
  const history = section("History");
  const made = history.locator("li").filter({ hasText: "add" });
  await made.first().getByRole("button", { name: "Resend" }).click();
  await expect.poll(() => made.count()).toBe(2);
  await made.last().getByRole("button", { name: "Edit" }).click();
  const edit = section("Edit a request");
  await edit.getByRole("textbox", { name: "Arguments as JSON" }).fill('{"a": 1, "b": 1}');
  await button("Send", edit).click();
  await expect.poll(() => made.count()).toBe(3);
  await edit.getByRole("textbox", { name: "Title of the saved request" }).fill("one and one");
  await button("Save", edit).click();
  await button("Send one and one").click();
  await expect.poll(() => made.count()).toBe(4);
  await made.last().getByRole("button", { name: "Mark to compare" }).click();
  await made.first().getByRole("button", { name: "Compare", exact: true }).click();
  await history.getByRole("row", { name: "result.structuredContent.sum 42 2" }).waitFor();
  const row = section("Statistics").getByRole("row", { name: /^add 4 0 / });
  await row.waitFor();
  expect(await row.textContent()).toMatch(/ms|s/);
});

it("log: the level is asked for, and lines arrive live", async () => {
  await tab("Log");
  await panel()
    .getByRole("button", { name: /Least level/ })
    .click();
  await page.getByRole("option", { name: "warning and worse" }).click();
  for (const [level, line] of [
    ["debug", "too quiet"],
    ["error", "the roof is on fire"],
  ] as const) {
    await tab("Requests");
    await button("Edit", section("History").locator("li").first()).click();
    const edit = section("Edit a request");
    await edit.getByLabel("Name").fill("log");
    await edit.getByRole("textbox", { name: "Arguments as JSON" }).fill(JSON.stringify({ level, line }));
    await button("Send", edit).click();
    await button("Close", edit).click();
  }
  await tab("Log");
  await panel().getByText("the roof is on fire").waitFor();
  expect(await panel().getByText("too quiet").count()).toBe(0);
});

it("messages: everything on one list, with answers, masked and searchable", async () => {
  await tab("Messages");
  await panel().getByRole("searchbox", { name: "Method" }).fill("prompts/get");
  const rows = panel().getByRole("option");
  await expect.poll(() => rows.count()).toBe(2);
  await rows.first().click();
  await button("Go to the answer").click();
  await panel().getByText("Bergen and home").waitFor();
  await panel()
    .getByText(/result from the server whole at/)
    .waitFor();
});

it("HTTP: requests with masked headers, in a tab and beside the message that they carried", async () => {
  await inspect("remote");
  await tab("Tools");
  await button("Open add").click();
  await section("add").getByLabel(/^a\b/).fill("2");
  await section("add").getByLabel(/^b\b/).fill("3");
  await button("Run", section("add")).click();
  await section("add").getByText("5", { exact: true }).waitFor();
  await tab("HTTP");
  await panel().getByRole("searchbox", { name: "Search in requests" }).fill("tools/call");
  const requests = panel().getByRole("list", { name: "HTTP requests" }).getByRole("listitem");
  await expect.poll(() => requests.count()).toBe(1);
  await requests.getByText(/^POST http:\/\/127\.0\.0\.1:\d+\/mcp$/).waitFor();
  await requests.getByText("200", { exact: true }).waitFor();
  await requests.getByText(/\d ms.* bytes/).waitFor();
  await requests.getByText(/tools\/call #\d+ · by you/).waitFor();
  await button("Headers", requests).click();
  await requests.getByRole("row", { name: "x-key [masked]" }).waitFor();
  await requests.getByRole("row", { name: /^mcp-protocol-version 2026-07-28/ }).waitFor();
  await requests.getByRole("table", { name: "Headers of the answer" }).waitFor();
  expect(await axeFinds()).toEqual([]);
  const saved = await save();
  expect(saved).toContain("mcp-protocol-version");
  expect(saved).not.toContain(KEY);
  await tab("Messages");
  await panel().getByRole("searchbox", { name: "Method" }).fill("tools/call");
  await panel().getByRole("option").last().click();
  const carried = panel().getByRole("region", { name: "HTTP of the message" });
  await button("Headers", carried).click();
  await carried.getByRole("row", { name: "x-key [masked]" }).waitFor();
  expect(await page.content()).not.toContain(KEY);
  // A program has no HTTP.
  await inspect("whole");
  expect(await inspector.getByRole("tab", { name: "HTTP" }).count()).toBe(0);
});

it("save: messages as a file, those that the filter shows", async () => {
  await inspect("whole");
  await tab("Messages");
  await panel().getByRole("searchbox", { name: "Method" }).fill("prompts/get");
  await expect.poll(() => panel().getByRole("option").count()).toBe(2);
  const messages: { method: string }[] = JSON.parse(await save());
  expect(messages.map(({ method }) => method)).toEqual(["prompts/get", "prompts/get"]);
});

it("changes: what the server offers now and did not before", async () => {
  await tab("Overview");
  await section("Changes of its lists").getByText("Nothing has changed.").waitFor();
  await tab("Tools");
  await button("Open grow").click();
  await button("Run", section("grow")).click();
  await button("Open grown").waitFor();
  await tab("Overview");
  await section("Changes of its lists").getByRole("listitem").filter({ hasText: "grown" }).waitFor();
  await button("Mark as seen").click();
  await section("Changes of its lists").getByText("Nothing has changed.").waitFor();
});

it("a server of the second generation: its revision, and its questions as messages", async () => {
  await inspect("modern");
  await section("About the server").getByText("2026-07-28, without sessions").waitFor();
  await tab("Messages");
  await tab("Tools");
  await button("Open ask").click();
  const params = {
    message: "Which city?",
    mode: "form",
    requestedSchema: { type: "object", properties: { city: { type: "string" } } },
  };
  await section("ask")
    .getByRole("textbox", { name: "Arguments as JSON" })
    .fill(JSON.stringify({ method: "elicitation/create", params }));
  await button("Run", section("ask")).click();
  const dialog = page.getByRole("alertdialog");
  await dialog.getByText("Which city?").waitFor();
  await dialog.getByLabel("city").fill("Oslo");
  await dialog.getByRole("button", { name: "Answer" }).click();
  await section("ask").getByText("Oslo").first().waitFor();
  await tab("Messages");
  await panel().getByRole("searchbox", { name: "Search in JSON" }).fill("input_required");
  await expect.poll(() => panel().getByRole("option").count()).toBe(1);
  await panel().getByRole("searchbox", { name: "Search in JSON" }).fill("inputResponses");
  await expect.poll(() => panel().getByRole("option").count()).toBe(1);
});

it("tasks: started, followed to the result, cancelled, and resumed by id", async () => {
  await inspect("tasks");
  await tab("Tools");
  await button("Open bake").click();
  await section("bake")
    .getByLabel(/^milliseconds/)
    .fill("300");
  await button("Run", section("bake")).click();
  const said = section("bake").getByText(/Started as task \w+/);
  const id = /task (\w+)/.exec((await said.textContent()) ?? "")?.[1] ?? "";
  await section("bake")
    .getByLabel(/^milliseconds/)
    .fill("60000");
  await button("Run", section("bake")).click();
  await tab("Tasks");
  const first = section(`Task ${id}`);
  await first.getByText("completed", { exact: true }).waitFor();
  await button("Get the result", first).click();
  await first.getByText("baked").waitFor();
  const other = panel()
    .getByRole("region")
    .filter({ has: page.getByText("working", { exact: true }) });
  await other.getByRole("button", { name: "Cancel the task" }).click();
  await panel().getByText("cancelled", { exact: true }).waitFor();
  await page.reload();
  await inspector.getByRole("radio", { name: "Server" }).click();
  await inspect("tasks");
  await tab("Tasks");
  await panel().getByLabel("Resume a task by its id").fill(id);
  await button("Resume").click();
  await section(`Task ${id}`).getByText("completed", { exact: true }).waitFor();
});

it("tasks of revision 2026-07-28: the server decides, and asks its questions in the page", async () => {
  await inspect("later");
  await tab("Tools");
  await button("Open bake").click();
  const bake = section("bake");
  await bake.getByRole("checkbox", { name: "Let the server run it as a task" }).check();
  await bake.getByLabel(/^milliseconds/).fill("300");
  await button("Run", bake).click();
  const said = bake.getByText(/Started as task [\w-]+/);
  const id = /task ([\w-]+)/.exec((await said.textContent()) ?? "")?.[1] ?? "";
  await button("Open quick").click();
  const quick = section("quick");
  await quick.getByRole("checkbox", { name: "Let the server run it as a task" }).check();
  await button("Run", quick).click();
  await quick.getByText("The server answered at once, without a task.").waitFor();
  await quick.getByText("at once", { exact: true }).waitFor();
  await button("Open order").click();
  const order = section("order");
  await order.getByRole("checkbox", { name: "Let the server run it as a task" }).check();
  await button("Run", order).click();
  await order.getByText(/Started as task/).waitFor();
  await tab("Tasks");
  const baked = section(`Task ${id}`);
  await baked.getByText("completed", { exact: true }).waitFor();
  await button("Get the result", baked).click();
  await baked.getByText("baked", { exact: true }).waitFor();
  const ordered = panel()
    .getByRole("region")
    .filter({ has: page.getByText("input required", { exact: true }) });
  await ordered.getByRole("button", { name: "Wait for the result" }).click();
  for (const [question, answer] of [
    ["What shall it be?", "tea"],
    ["And then?", "cake"],
  ] as const) {
    const dialog = page.getByRole("alertdialog");
    await dialog.getByText(question).waitFor();
    await dialog.getByLabel("what").fill(answer);
    await dialog.getByRole("button", { name: "Answer" }).click();
  }
  await panel().getByText("tea and cake").waitFor();
});

it("tools: notes on names and schemas that some clients mishandle, folded if there are many", async () => {
  await inspect("kinds");
  await tab("Tools");
  const notes = (title: string, name: string): Locator =>
    section(title)
      .getByRole("list", { name: `Notes on ${name}` })
      .getByRole("listitem");
  await notes("Pay", "pay").first().waitFor();
  expect(await notes("Pay", "pay").allTextContents()).toEqual([
    expect.stringMatching(/^Models choose tools by their descriptions, .*: write one\.$/),
    expect.stringMatching(/^Some versions of the Gemini API .* but date-time and enum: .* Here: pin\.$/),
  ]);
  expect(await notes("Order a cake", "order").count()).toBe(0);
  await button("3 notes for other clients", section("Order a cake")).click();
  await notes("Order a cake", "order").first().waitFor();
  expect(await notes("Order a cake", "order").allTextContents()).toEqual([
    expect.stringMatching(/lose \$ref .* Here: address\.$/),
    expect.stringMatching(/ Here: delivery\.oneOf\[0\]\.date\.$/),
    expect.stringMatching(/^Gemini ignores default: .* Here: count, gift, note\.$/),
  ]);
  await button("3 notes for other clients", section("Not the bakery")).click();
  await notes("Not the bakery", "bakery bread")
    .filter({ hasText: "digits, _ and - in a tool's name" })
    .waitFor();
  expect(await axeFinds()).toEqual([]);
  // Notes are about the tool as the server sent it, although the page repairs it to show a form.
  await inspect("odd");
  await notes("Without a schema", "shapeless").filter({ hasText: 'MCP requires type: "object"' }).waitFor();
});

it("requests: a pinned one comes first, and comes back after a reload without its answer", async () => {
  const openRequests = async (): Promise<void> => {
    await page.reload();
    await inspector.getByRole("radio", { name: "Server" }).click();
    await inspect("whole");
    await tab("Requests");
  };
  await inspect("whole");
  await tab("Tools");
  const add = section("add");
  await button("Open add").click();
  for (const [a, sum] of [
    ["19", "20"],
    ["29", "30"],
  ] as const) {
    await add.getByLabel(/^a\b/).fill(a);
    await add.getByLabel(/^b\b/).fill("1");
    await button("Run", add).click();
    await add.getByText(sum, { exact: true }).waitFor();
  }
  await tab("Requests");
  const made = section("History").locator("ul > li").filter({ hasText: "add" });
  await expect.poll(() => made.count()).toBe(2);
  await button("Pin", made.last()).click();
  await button("Pinned", made.first()).waitFor();
  expect(await button("Pinned", made.last()).count()).toBe(0);
  await button("Show", made.first()).click();
  await made.first().getByText("19", { exact: true }).waitFor();

  await openRequests();
  await made.getByText("before this page was loaded, answer not stored").waitFor();
  expect(await made.count()).toBe(1);
  expect(await axeFinds()).toEqual([]);
  await button("Resend", made).click();
  await expect.poll(() => made.count()).toBe(2);
  await button("Show", made.last()).click();
  await made.last().getByText("20", { exact: true }).first().waitFor();
  await button("Pinned", made.first()).click();
  await button("Pinned", made.first()).waitFor({ state: "detached" });

  await openRequests();
  await section("History").getByText("Requests that you make").waitFor();
  expect(await made.count()).toBe(0);
});

it("lists page by page: each page with its cursors", async () => {
  await inspect("extras");
  await tab("Tools");
  await button("Page by page: tools").click();
  const pages = section("Pages of tools");
  const listed = pages.getByRole("list").getByRole("listitem");
  await button("Fetch the first page", pages).click();
  await listed.getByText("apple, banana").waitFor();
  await listed.getByText("none: the first page").waitFor();
  await button("Fetch the next page", pages).click();
  await listed.getByText("cherry, date").waitFor();
  expect(await listed.nth(1).locator("dd").allTextContents()).toEqual(["after-2", "after-4"]);
  await button("Fetch the next page", pages).click();
  await pages.getByText("3 pages, 5 entries. This is all.").waitFor();
  expect(await button("Fetch the next page", pages).isDisabled()).toBe(true);
  expect(await axeFinds()).toEqual([]);
  // They are requests like others.
  await tab("Requests");
  expect(await section("History").locator("ul > li").filter({ hasText: "tools/list" }).count()).toBe(3);
});

it("any request: a method of the server, its errors, and what the gateway refuses", async () => {
  await tab("Requests");
  await button("New request").click();
  const edit = section("Edit a request");
  const made = section("History").locator("ul > li");
  const send = async (method: string, params: object): Promise<void> => {
    await edit.getByLabel("Method").fill(method);
    await edit.getByRole("textbox", { name: "Params as JSON" }).fill(JSON.stringify(params));
    await button("Send", edit).click();
  };
  await send("demo/echo", { fruit: "a ripe pear" });
  await made.first().getByText("demo/echo").waitFor();
  await made.first().getByText("a ripe pear").first().waitFor();
  await send("demo/none", {});
  await made.first().getByText("Method not found").waitFor();
  await made.first().getByText("-32601").waitFor();
  await send("initialize", {});
  await made.first().getByText("the gateway makes the connection").waitFor();
  expect(await axeFinds()).toEqual([]);
  // Messages has those that reached the server.
  await tab("Messages");
  await panel().getByRole("searchbox", { name: "Method" }).fill("demo/");
  await expect.poll(() => panel().getByRole("option").count()).toBe(4);
});

it("capabilities of the client: one that is left out is not declared after a restart", async () => {
  await tab("Overview");
  const declared = section("Capabilities of the client");
  await declared.getByText("needs a root").waitFor();
  await declared.getByLabel("Elicitation by address").uncheck();
  await button("Restart now", declared).click();
  await button("Restart now", declared).waitFor({ state: "detached" });
  expect(await declared.getByLabel("Elicitation by address").isChecked()).toBe(false);
  expect(await axeFinds()).toEqual([]);
  await tab("Requests");
  await button("New request").click();
  const edit = section("Edit a request");
  await edit.getByLabel("Method").fill("demo/capabilities");
  await button("Send", edit).click();
  const made = section("History").locator("ul > li").first();
  await made.getByText("elicitation").waitFor();
  await made.getByText("form").first().waitFor();
  expect(await made.getByText("url").count()).toBe(0);
});

it("skills: listed, got by their address, and verified file by file", async () => {
  await tab("Skills");
  const picking = section("picking");
  await picking.getByText("How to pick fruit").waitFor();
  await button("Read and verify skill://picking/SKILL.md", picking).click();
  await picking.getByText("Verified: it fits the entry.").waitFor();
  await picking.getByRole("heading", { name: "Picking", exact: true }).waitFor();
  const watering = section("watering");
  await button("Read and verify skill://garden/watering/SKILL.md", watering).click();
  await watering.getByText(/^Its digest is sha256:\w+, and the entry says/).waitFor();
  await watering.getByText("Its frontmatter differs from the entry: description.").waitFor();
  expect(await watering.getByText("Verified").count()).toBe(0);
  await section("daily").getByText("nobody can verify them").waitFor();
  const address = panel().getByLabel("Get a skill by its address");
  await address.fill("skill://none/SKILL.md");
  await button("Get").click();
  await panel().getByText("no such skill").waitFor();
  await address.fill("skill://daily/SKILL.md");
  await button("Get").click();
  await panel().getByText("no such skill").waitFor({ state: "detached" });
  expect(await panel().getByRole("list", { name: "Skills of the server" }).locator("> li").count()).toBe(3);
  expect(await axeFinds()).toEqual([]);
});

it("skills: a folder is opened, with the folders in it", async () => {
  await tab("Skills");
  const picking = section("picking");
  await button("Folder", picking).click();
  const inside = picking.getByRole("list", { name: "Children of skill://picking", exact: true });
  await inside.getByText("SKILL.md", { exact: true }).waitFor();
  await button("references/", inside).click();
  const below = picking.getByRole("list", { name: "Children of skill://picking/references" });
  await below.getByText("ripe.md", { exact: true }).waitFor();
  const unlisted = below.getByRole("listitem").filter({ hasText: "notes.md" });
  await unlisted.getByText("The entry of the skill does not list this file.").waitFor();
  expect(await below.getByText("does not list this file").count()).toBe(1);
  expect(await axeFinds()).toEqual([]);
});

it("the page says nothing to third parties, and complains about nothing", async () => {
  await inspect("later");
  for (const name of ["Overview", "Tools", "Tasks"]) {
    await tab(name);
    expect(await axeFinds(), name).toEqual([]);
  }
  expect(strangers).toEqual([]);
  expect(complaints).toEqual([]);
});
