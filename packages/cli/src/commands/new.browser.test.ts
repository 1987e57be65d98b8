/**
 * The projects of `vitrine new` do what their scripts say, and their views show real results. What is run is what
 * docs/first-app.md tells people to run, line by line; only packages are linked in place of being installed.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { readToolUi, uiExtension } from "@vitrine/protocol";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveSite, sharedChromium } from "../../../../testing/browser.ts";
import { HOST_PAGE, RawHost } from "../../../../testing/raw-host.ts";
import { renderCommand } from "../render/render-command.js";
import type { RenderResult } from "../render/render-result.js";
import { Terminal } from "../terminal.js";
import { splitWords } from "../words.js";

const at = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const MAIN = at("packages/cli/dist/main.js");
const PACKAGES = at("node_modules");

const folder = mkdtempSync(join(tmpdir(), "vitrine-new-projects-"));
const env = { PATH: `${join(PACKAGES, ".bin")}${delimiter}${process.env["PATH"]}`, HOME: folder };

let browser: Browser;
let host: RawHost;
beforeAll(async () => {
  browser = await sharedChromium();
  host = await RawHost.launch(browser);
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The commands of a section of the document. */
function commandsOf(heading: string): string[] {
  const document = readFileSync(at("docs/first-app.md"), "utf8");
  const section = document.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? "";
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, lines = ""]) =>
    lines.trim().split("\n"),
  );
}

/** The same for the templates that the document has no section of. */
const like = (commands: readonly string[], template: string): string[] =>
  commands.map((line) => line.replace("--template react", `--template ${template}`));

/** A person at a terminal, who types commands. */
class Person {
  cwd: string;
  /** What apps showed, by tool. */
  readonly shown = new Map<string, string>();
  readonly #savesView: boolean;

  constructor(cwd: string, { savesView }: { savesView: boolean }) {
    this.cwd = cwd;
    this.#savesView = savesView;
  }

  async type(line: string): Promise<void> {
    const [first, second = "", ...rest] = splitWords(line);
    if (first === "cd") this.cwd = join(this.cwd, second);
    else if (line === "npm install") symlinkSync(PACKAGES, join(this.cwd, "node_modules"));
    else if (line === "npm start") await this.#start();
    else if (first === "node") await this.#run(line);
    else if (first === "npm") await this.#run(this.#script(second === "run" ? (rest[0] ?? "") : second));
    else if (first === "npx" && second === "vitrine" && rest[0] === "render")
      await this.#render(rest.slice(1));
    else if (first === "npx" && second === "vitrine")
      await this.#run(line.replace(/^npx vitrine/, `node ${MAIN}`));
    else throw new Error(`nobody knows how to run ${line}`);
  }

  #script(name: string): string {
    const script: unknown = JSON.parse(readFileSync(join(this.cwd, "package.json"), "utf8")).scripts[name];
    if (typeof script !== "string") throw new Error(`there is no script ${name}`);
    return script;
  }

  /** Runs a script of the project that may fail; gives its exit code, and what it said. */
  async script(name: string): Promise<{ code: unknown; said: string }> {
    return this.#try(this.#script(name));
  }

  async #run(command: string): Promise<void> {
    const { code, said } = await this.#try(command);
    expect(code, `${command}\n${said}`).toBe(0);
  }

  async #try(command: string): Promise<{ code: unknown; said: string }> {
    const child = spawn(command, { cwd: this.cwd, env, shell: true, stdio: ["ignore", "pipe", "pipe"] });
    const ended = once(child, "close");
    const said = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = await ended;
    return { code, said: said.join("\n") };
  }

  /** Until it says where it is; then it is ended, and all that it started with it. */
  async #start(): Promise<void> {
    const command = `exec ${this.#script("start")} --no-open --port 0 --data ${join(folder, "data")}`;
    const child = spawn(command, { cwd: this.cwd, env, shell: true, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (said += data));
    const ended = once(child, "close");
    try {
      await expect.poll(() => said).toMatch(/Vitrine → http:\/\/127\.0\.0\.1:\d+/);
      if (this.#savesView) await this.#saveView();
    } finally {
      child.kill("SIGTERM");
    }
    // Closed is what no process holds open any more.
    const [code] = await ended;
    expect(code, said).toBe(0);
  }

  /** With a framework, what is saved is built again. */
  async #saveView(): Promise<void> {
    const style = join(this.cwd, "src/view.css");
    appendFileSync(style, "\n.saved-while-it-runs {\n  order: 7;\n}\n");
    await expect
      .poll(() => readFileSync(join(this.cwd, "dist/index.css"), "utf8"))
      .toContain(".saved-while-it-runs");
  }

  async #render(words: string[]): Promise<void> {
    const string = { type: "string" } as const;
    const options = { tool: string, args: string, screenshot: string };
    const { values, positionals } = parseArgs({ args: words, options, allowPositionals: true });
    expect(positionals).toEqual(["."]);
    const { tool = "", args, screenshot = "" } = values;
    const out = new PassThrough();
    await renderCommand(
      this.cwd,
      { tool: [tool], args, screenshot: join(this.cwd, screenshot), json: true },
      { terminal: new Terminal(out, new PassThrough()), browser },
    );
    const result: RenderResult = JSON.parse(String(out.read()));
    expect(result, JSON.stringify(result.cause)).toMatchObject({
      ok: true,
      console: [],
      csp: { violations: [] },
    });
    expect(existsSync(join(this.cwd, screenshot))).toBe(true);
    this.shown.set(tool, result.text);
  }
}

/** What a client reads of the server: the documents of its tools' views. */
async function documentsOf(cwd: string): Promise<Record<string, string>> {
  const [command = "", ...args] = splitWords(JSON.parse(readFileSync(join(cwd, "package.json"), "utf8")).mcp);
  const transport = new StdioClientTransport({ command, args, cwd, env, stderr: "pipe" });
  let stderr = "";
  transport.stderr?.on("data", (data) => (stderr += data));
  const client = new Client({ name: "test", version: "1" }, { capabilities: { extensions: uiExtension() } });
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    const read = tools.map(async (tool) => {
      const { contents } = await client.readResource({ uri: readToolUi(tool).resourceUri ?? "" });
      return [tool.name, String(Object(contents[0]).text)] as const;
    });
    const documents = Object.fromEntries(await Promise.all(read));
    expect(stderr).toBe("");
    return documents;
  } finally {
    await client.close();
  }
}

/** The page calls the tool when a person wants it to, and says what went wrong. */
async function expectGreets(html: string): Promise<void> {
  const site = await serveSite({ "/": HOST_PAGE, "/view": html });
  try {
    await host.open(site.origin());
    const structuredContent = { greeting: "Hello, Grace!" };
    const view = await host.mount({
      url: `${site.origin("view")}/view`,
      answers: { "tools/call": { result: { content: [], structuredContent } } },
    });
    await view.getByLabel("Another name").fill("Grace");
    await view.getByRole("button", { name: "Greet" }).click();
    await view.getByRole("status").getByText("Hello, Grace!").waitFor();
    const [call] = await host.received("tools/call");
    expect(call?.params).toMatchObject({ name: "greet", arguments: { name: "Grace" } });
    await host.answer("tools/call", { result: { content: [], isError: true } });
    await view.getByRole("button", { name: "Greet" }).click();
    await view.getByRole("status").getByText("Nobody was greeted.").waitFor();
    await host.answer("tools/call", { error: { code: -32_000, message: "Not now" } });
    await view.getByLabel("Another name").press("Enter");
    await view.getByText("Not now").waitFor();
    expect(host.console).toEqual([]);
  } finally {
    await site.close();
  }
}

const THROW = 'throw new Error("broken on purpose");';
/** How each page can crash, when it starts and while it draws: a file, and what stands in place of what. */
const BREAKS: Readonly<Record<string, [file: string, before: string, after: string][]>> = {
  html: [
    ["view/view.js", "const app =", `${THROW}\nconst app =`],
    [
      "view/view.js",
      "heading?.replaceChildren(structured",
      `${THROW}\n  heading?.replaceChildren(structured`,
    ],
  ],
  discovery: [["tools/greet/ui/view.js", "const app =", `${THROW}\nconst app =`]],
  react: [["src/view.tsx", "  return (\n", `  if (shown) ${THROW}\n  return (\n`]],
  vue: [["src/main.ts", "createApp(View)", `(() => { ${THROW} })(); createApp(View)`]],
  svelte: [["src/main.ts", "mount(", `(() => { ${THROW} })(); mount(`]],
};

const REACT = commandsOf("With React");
const GREETING = { greet: /^Hello, Ada!\s+Another name\s+Greet$/ };

describe.each([
  ["json-template", commandsOf("Without HTML"), { planets: /Earth\s+12,756\s+1\s+Mars\s+6,792\s+2/ }],
  ["html", commandsOf("In plain HTML"), GREETING],
  ["react", REACT, GREETING],
  ["vue", like(REACT, "vue"), GREETING],
  ["svelte", like(REACT, "svelte"), GREETING],
  ["discovery", commandsOf("In folders"), { "price-list": /Berne\s+134,794/ }],
] as [string, string[], Record<string, RegExp>][])("the project %s", (template, commands, shows) => {
  // How a view is built again is the same with every framework.
  const person = new Person(mkdtempSync(join(folder, `${template}-`)), { savesView: template === "react" });

  it("is made, starts, type-checks, passes its test, and its view shows the result", async () => {
    expect(commands.join("\n")).toContain(
      template === "html" ? "vitrine new my-app\n" : `--template ${template}\n`,
    );
    for (const line of commands) await person.type(line);
    expect([...person.shown.keys()]).toEqual(Object.keys(shows));
    for (const [tool, text] of Object.entries(shows)) expect(person.shown.get(tool)).toMatch(text);
  });

  it("answers a client: its tools, each with a view, and the views' documents, which do as they say", async () => {
    const documents = await documentsOf(person.cwd);
    expect(Object.keys(documents)).toEqual(expect.arrayContaining(Object.keys(shows)));
    for (const html of Object.values(documents)) expect(html).toMatch(/^<!doctype html>/i);
    if (documents["greet"]) await expectGreets(documents["greet"]);
  });

  // Last: what was built is broken then.
  it.each(BREAKS[template] ?? [])(
    "fails its own test when its page crashes: %s",
    async (file, before, after) => {
      const path = join(person.cwd, file);
      const source = readFileSync(path, "utf8");
      expect(source).toContain(before);
      writeFileSync(path, source.replace(before, after));
      const { code, said } = await person.script("test");
      writeFileSync(path, source);
      expect(code, said).not.toBe(0);
      expect(said).toContain("broken on purpose");
    },
  );
});
