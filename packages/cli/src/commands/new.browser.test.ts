/**
 * A user without this repository runs the lines of docs/first-app.md, with packages from a registry: the
 * projects of `vitrine new` install, their scripts work, and their views show real results.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { readToolUi, uiExtension } from "@vitrine/protocol";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveSite, sharedChromium } from "../../../../testing/browser.ts";
import { HOST_PAGE, RawHost } from "../../../../testing/raw-host.ts";
import { type Ended, Stranger } from "../../../../testing/registry/stranger.ts";
import type { RenderResult } from "../render/render-result.js";
import { splitWords } from "../words.js";

const at = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));

let stranger: Stranger;
let browser: Browser;
let host: RawHost;
beforeAll(async () => {
  stranger = await Stranger.arrive();
  browser = await sharedChromium();
  host = await RawHost.launch(browser);
});
afterAll(async () => {
  await browser?.close();
  await stranger?.leave();
});

/** The commands of a section of the document. */
function commandsOf(heading: string): string[] {
  const document = readFileSync(at("docs/first-app.md"), "utf8");
  const section = document.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? "";
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, lines = ""]) =>
    lines.trim().split("\n"),
  );
}

/** The same commands for the templates without a section in the document. */
const like = (commands: readonly string[], template: string): string[] =>
  commands.map((line) => line.replace("--template react", `--template ${template}`));

/** A project, and a user who types commands in it. */
class Project {
  cwd: string;
  /** Texts of the apps, by tool. */
  readonly shown = new Map<string, string>();
  readonly #savesView: boolean;

  constructor(cwd: string, { savesView }: { savesView: boolean }) {
    this.cwd = cwd;
    this.#savesView = savesView;
  }

  async type(line: string): Promise<void> {
    const [first, second = "", third] = splitWords(line);
    if (first === "cd") this.cwd = join(this.cwd, second);
    else if (line === "npm start") await this.#start();
    else if (line.startsWith("npx vitrine render ")) await this.#render(line);
    else if (first === "npm" && second !== "install")
      await stranger.run(this.cwd, this.#script(second === "run" ? (third ?? "") : second), this.#path());
    else await stranger.run(this.cwd, line);
  }

  #script(name: string): string {
    const script: unknown = JSON.parse(readFileSync(join(this.cwd, "package.json"), "utf8")).scripts[name];
    if (typeof script !== "string") throw new Error(`there is no script ${name}`);
    return script;
  }

  /** PATH with the programs of a project's scripts. */
  #path(): string[] {
    return [join(this.cwd, "node_modules", ".bin")];
  }

  /** Runs a script of the project that may fail. */
  script(name: string): Promise<Ended> {
    return stranger.try(this.cwd, this.#script(name), this.#path());
  }

  /** Waits until the command prints its URL; then ends it with everything it started. */
  async #start(): Promise<void> {
    const command = `exec ${this.#script("start")} --no-open --port 0 --data ${join(stranger.folder, "data")}`;
    const env = { ...stranger.env, PATH: [...this.#path(), stranger.env["PATH"]].join(delimiter) };
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
    // A stream is closed once no process holds it open.
    const [code] = await ended;
    expect(code, said).toBe(0);
  }

  /** With a framework, saved files are built again. */
  async #saveView(): Promise<void> {
    const style = join(this.cwd, "src/view.css");
    appendFileSync(style, "\n.saved-while-it-runs {\n  order: 7;\n}\n");
    await expect
      .poll(() => readFileSync(join(this.cwd, "dist/index.css"), "utf8"))
      .toContain(".saved-while-it-runs");
  }

  async #render(line: string): Promise<void> {
    const result: RenderResult = JSON.parse(await stranger.run(this.cwd, `${line} --json`));
    expect(result).toMatchObject({ ok: true, console: [], csp: { violations: [] } });
    expect(existsSync(join(this.cwd, "app.png"))).toBe(true);
    this.shown.set(result.tool, result.text);
  }
}

/** The documents of the tools' views, as a client reads them. */
async function documentsOf(cwd: string): Promise<Record<string, string>> {
  const [command = "", ...args] = splitWords(JSON.parse(readFileSync(join(cwd, "package.json"), "utf8")).mcp);
  const env = { PATH: stranger.env["PATH"] ?? "", HOME: stranger.folder };
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

/** The page calls the tool when the user asks for it, and reports failures. */
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
/** Ways for each page to crash, at the start and while drawing: a file, and a replacement in it. */
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

it("npx vitrine --version", async () => {
  const { version } = JSON.parse(readFileSync(at("packages/cli/package.json"), "utf8"));
  expect(await stranger.run(stranger.place("empty"), "npx vitrine --version")).toBe(`${version}\n`);
});

describe.each([
  ["json-template", commandsOf("Without HTML"), { planets: /Earth\s+12,756\s+1\s+Mars\s+6,792\s+2/ }],
  ["html", commandsOf("In plain HTML"), GREETING],
  ["react", REACT, GREETING],
  ["vue", like(REACT, "vue"), GREETING],
  ["svelte", like(REACT, "svelte"), GREETING],
  ["discovery", commandsOf("In folders"), { "price-list": /Berne\s+134,794/ }],
] as [string, string[], Record<string, RegExp>][])("the project %s", (template, commands, shows) => {
  // Rebuilding a view works the same with every framework.
  let project: Project;
  beforeAll(() => {
    project = new Project(stranger.place(template), { savesView: template === "react" });
  });

  it("is created and installed, starts, type-checks, passes its test, and its view shows the result", async () => {
    expect(commands.join("\n")).toContain(
      template === "html" ? "vitrine new my-app\n" : `--template ${template}\n`,
    );
    for (const line of commands) await project.type(line);
    expect([...project.shown.keys()]).toEqual(Object.keys(shows));
    for (const [tool, text] of Object.entries(shows)) expect(project.shown.get(tool)).toMatch(text);
  });

  it("answers a client: its tools, each with a view, and the views' documents, which do as they say", async () => {
    const documents = await documentsOf(project.cwd);
    expect(Object.keys(documents)).toEqual(expect.arrayContaining(Object.keys(shows)));
    for (const html of Object.values(documents)) expect(html).toMatch(/^<!doctype html>/i);
    if (documents["greet"]) await expectGreets(documents["greet"]);
  });

  // Last, because it breaks the build output.
  it.each(BREAKS[template] ?? [])(
    "fails its own test when its page crashes: %s",
    async (file, before, after) => {
      const path = join(project.cwd, file);
      const source = readFileSync(path, "utf8");
      expect(source).toContain(before);
      writeFileSync(path, source.replace(before, after));
      const { code, said } = await project.script("test");
      writeFileSync(path, source);
      expect(code, said).not.toBe(0);
      expect(said).toContain("broken on purpose");
    },
  );
});
