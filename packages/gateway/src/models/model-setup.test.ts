// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are written like this
/** Models that a page sets up: a real gateway, its real files, and attackers. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { openSecrets } from "@vitrine/servers";
import type { ModelProviders, NewModelProvider } from "@vitrine/wire";
import { afterEach, describe, expect, it } from "vitest";
import { EntryPoints, type RawPage } from "../../../../testing/gateway/entry-points.js";
import { ollama } from "../../../../testing/model/local-documents.js";
import {
  callTool,
  type Script,
  type ScriptedModel,
  type ScriptedModelOptions,
  say,
  startScriptedModel,
  unauthorized,
} from "../../../../testing/model/scripted-model.js";
import { parseJson } from "../config/json.js";
import type { SetupHost } from "../setup/setup-host.js";

const KEY = "sk-S3CRET-0123456789abcdef";
const OTHER_KEY = "sk-0THER-9876543210fedcba";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function scripted(
  turns: readonly Script[] = [],
  options?: ScriptedModelOptions,
): Promise<ScriptedModel> {
  const server = await startScriptedModel(turns, options);
  open.push(() => server.close());
  return server;
}

interface Stage {
  entry: EntryPoints;
  file: string;
  page: RawPage;
  text(): Promise<string>;
  /** The names of the stored secrets, and their values. */
  secret(name: string): Promise<string | undefined>;
}

/** A gateway whose settings file has this text. */
async function stage(
  text = "",
  {
    users = ["ann"],
    admins = ["ann"],
    ports = {},
    ...host
  }: { users?: string[]; admins?: string[]; ports?: Record<string, number> } & Partial<SetupHost> = {},
): Promise<Stage> {
  let entry: EntryPoints | undefined;
  let file = "";
  const setup: SetupHost = {
    get file() {
      return file;
    },
    reading: {},
    canAsk: false,
    lines: () => undefined,
    command: () => undefined,
    confirm: async () => false,
    isApproved: async () => true,
    written: async (written) => {
      const { model } = Object(parseJson(written));
      await entry?.update({ shop: {} }, { model });
    },
    importPlaces: () => [],
    ...host,
  };
  const nowhere = await closedPort();
  entry = await EntryPoints.open(
    users,
    { admins },
    {
      setup,
      detection: {
        timeout: 2_000,
        ports: { Ollama: nowhere, "LM Studio": nowhere, "llama.cpp": nowhere, vLLM: nowhere, ...ports },
      },
    },
  );
  const opened = entry;
  open.push(() => opened.close());
  file = join(opened.folder, "mcp.json");
  if (text !== "") await writeFile(file, text);
  const page = await opened.page("ann", "websocket");
  if (text !== "") await setup.written(text, "", false);
  return {
    entry: opened,
    file,
    page,
    text: () => readFile(file, "utf8"),
    secret: async (name) =>
      (await openSecrets({ folder: join(opened.folder, "data") })).get(`settings/${name}`),
  };
}

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const save = ({ page }: Stage, provider: NewModelProvider): Promise<ModelProviders> =>
  page.request("model/save", provider);

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "nothing",
    (error: { data?: { code?: unknown }; message: string }) => error.data?.code ?? error.message,
  );

const dataOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "nothing",
    (error: { data?: unknown }) => error.data,
  );

/** The reference in the file. */
const keyIn = (text: string): string => /\$\{secret:([^}]+)\}/.exec(text)?.[1] ?? "";

describe("a provider that a page adds", () => {
  it("works at once: its key is stored, the file refers to it and keeps its comments, and it answers", async () => {
    const model = await scripted([say("Hello.")], { models: ["small"] });
    const set = await stage('{\n  // mine\n  "mcpServers": {}\n}\n');
    const saved = await save(set, {
      name: "local",
      type: "compatible",
      url: model.url,
      key: ` ${KEY}\n`,
    });
    expect(saved).toEqual({
      providers: [{ name: "local", type: "compatible", url: model.url, key: "store", isWritten: true }],
    });
    const text = await set.text();
    expect(text).toContain("// mine");
    expect(parseJson(text)).toMatchObject({
      model: {
        providers: {
          local: {
            url: model.url,
            privateNetwork: true,
            key: expect.stringMatching(/^\$\{secret:model-local-[0-9a-f]{12}\}$/),
          },
        },
      },
    });
    expect(await set.secret(keyIn(text))).toBe(KEY);
    const { models } = await set.page.request("model/list", { provider: "local" });
    expect(models).toEqual([{ id: "local/small", label: "small" }]);
    await set.page.request("model/choose", { model: "local/small" });
    const { id } = await set.page.request("conversation/open", {});
    await set.page.request("conversation/send", { id, content: [{ type: "text", text: "Hi" }] });
    await expect
      .poll(async () => (await set.page.request("conversation/open", { id })).items.at(-1))
      .toMatchObject({ text: "Hello." });
    expect(model.requests[0]?.headers["authorization"]).toBe(`Bearer ${KEY}`);
  });

  it("leaves the key in no answer, notice, log, database, file or error", async () => {
    const model = await scripted([unauthorized, say("x")], { models: ["small"] });
    const set = await stage("");
    const { page, entry } = set;
    const answers: unknown[] = [];
    const ask = async (request: Promise<unknown>): Promise<void> => {
      answers.push(await request.catch((error: Error) => [error.message, Object(error).data, String(error)]));
    };
    await ask(save(set, { name: "local", type: "compatible", url: model.url, key: KEY }));
    await ask(page.request("model/test", { model: "local/small" }));
    await ask(save(set, { name: "local", type: "compatible", url: model.url, key: OTHER_KEY }));
    await ask(save(set, { name: "BAD", type: "compatible", url: model.url, key: KEY }));
    await ask(save(set, { name: "more", type: "compatible", url: "http://example.com", key: KEY }));
    await ask(
      save(set, {
        name: "more",
        type: "compatible",
        url: `https://${KEY}@example.com`,
        key: `${KEY} ${KEY}`,
      }),
    );
    await ask(page.request("model/list", { provider: "local" }));
    await ask(page.request("model/providers", {}));
    await ask(page.request("model/state", {}));
    await ask(page.ask(".", "model/save", { name: "more", type: "wrong", key: KEY }));
    await ask(page.ask(".", "model/save", { key: { value: KEY } }));
    await page.request("model/choose", { model: "local/small" });
    const { id } = await page.request("conversation/open", {});
    await ask(page.request("conversation/send", { id, content: [{ type: "text", text: "Hi" }] }));
    await ask(page.request("conversation/open", { id }));
    const rows = await entry.rows("ann");
    expect(
      rows.filter(({ method }) => method === "model/providers").map(({ target, reason }) => [target, reason]),
    ).toEqual([
      ["local", "added"],
      ["local", "key replaced"],
    ]);
    await entry.gateway.close(0);
    const files = await readdir(entry.folder, { recursive: true, withFileTypes: true });
    const contents = await Promise.all(
      files
        .filter((each) => each.isFile())
        .map((each) => readFile(join(each.parentPath, each.name), "latin1")),
    );
    expect(contents.length).toBeGreaterThan(3);
    const everything = JSON.stringify([answers, page.heard, page.stray, entry.log, rows, contents]);
    expect(everything).toContain("rejects the key");
    for (const key of [KEY, OTHER_KEY, Buffer.from(KEY).toString("base64"), encodeURIComponent(KEY)])
      expect(everything).not.toContain(key);
    // The provider did get it.
    expect(model.requests[0]?.headers["authorization"]).toBe(`Bearer ${KEY}`);
  });

  it("keeps the providers of the environment, which a list in the file would replace", async () => {
    process.env["OPENAI_API_KEY"] = KEY;
    open.push(() => delete process.env["OPENAI_API_KEY"]);
    const set = await stage("");
    const saved = await save(set, { name: "anthropic", type: "anthropic", key: OTHER_KEY });
    expect(saved.providers).toMatchObject([
      { name: "openai", key: "environment", isWritten: true },
      { name: "anthropic", key: "store", url: "https://api.anthropic.com/v1" },
    ]);
    expect(parseJson(await set.text())).toMatchObject({
      model: { providers: { openai: {}, anthropic: {} } },
    });
  });

  it("gets a new key, and the old one is deleted", async () => {
    const set = await stage("");
    await save(set, { name: "openai", type: "openai", key: KEY });
    const before = keyIn(await set.text());
    await save(set, { name: "openai", type: "openai", key: OTHER_KEY });
    const after = keyIn(await set.text());
    expect(after).not.toBe(before);
    expect([await set.secret(before), await set.secret(after)]).toEqual([undefined, OTHER_KEY]);
  });

  it("loses its key, and then disappears with the selection of its model", async () => {
    const set = await stage(
      '{ "model": { "use": "one/x", "providers": { "one": { "url": "https://a.example/v1" }, "two": { "url": "https://b.example/v1", "models": ["y"] } } } }',
    );
    await save(set, { name: "one", type: "compatible", url: "https://a.example/v1", key: KEY });
    const secret = keyIn(await set.text());
    const { providers } = await set.page.request("model/forget", { name: "one", what: "key" });
    expect(providers).toMatchObject([{ name: "one", key: "none" }, { name: "two" }]);
    expect(await set.secret(secret)).toBeUndefined();
    await set.page.request("model/forget", { name: "one", what: "provider" });
    expect(parseJson(await set.text())).toEqual({
      model: { providers: { two: { url: "https://b.example/v1", models: ["y"] } } },
    });
    await set.page.request("model/forget", { name: "two", what: "provider" });
    expect(parseJson(await set.text())).toEqual({ model: {} });
    expect(
      await codeOf(set.page.request("model/forget", { name: "constructor", what: "provider" })),
    ).toContain("no provider");
  });

  it("leaves a secret that the user named, or that is used elsewhere", async () => {
    const set = await stage("");
    const secrets = await openSecrets({ folder: join(set.entry.folder, "data") });
    await secrets.set("settings/MINE", KEY);
    const text =
      '{ "model": { "providers": { "one": { "url": "https://a.example/v1", "key": "${secret:MINE}" } } } }';
    await writeFile(set.file, text);
    await set.entry.update({ shop: {} }, { model: Object(parseJson(text)).model });
    await set.page.request("model/forget", { name: "one", what: "provider" });
    expect(await set.secret("MINE")).toBe(KEY);
  });
});

describe("an attacker's page", () => {
  it("cannot send a stored key elsewhere: a new address has no key", async () => {
    const thief = await scripted([], { models: ["x"] });
    const set = await stage("");
    await save(set, { name: "one", type: "compatible", url: "https://a.example/v1", key: KEY });
    const secret = keyIn(await set.text());
    await save(set, { name: "one", type: "compatible", url: thief.url });
    expect(await set.text()).not.toContain("secret");
    expect(await set.secret(secret)).toBeUndefined();
    await set.page.request("model/list", { provider: "one" });
    expect(thief.lists.every(({ authorization }) => authorization === undefined)).toBe(true);
    expect(await codeOf(save(set, { name: "openai", type: "openai", url: thief.url, key: KEY }))).toContain(
      "its own address",
    );
    // A reference is a key like any other text.
    await save(set, { name: "two", type: "compatible", url: thief.url, key: "${env:HOME}" });
    await set.page.request("model/list", { provider: "two" });
    expect(thief.lists.at(-1)?.authorization).toBe("Bearer ${env:HOME}");
  });

  it.each([
    ["http://example.com/v1", false],
    ["ftp://example.com", false],
    ["file:///etc/passwd", false],
    ["http://169.254.169.254/latest", false],
    ["http://[fe80::1]/v1", false],
    ["http://[::ffff:169.254.169.254]/v1", false],
    ["https://169.254.169.254/latest", false],
    ["https://100.100.100.200/v1", false],
    ["https://[fe80::1]/v1", false],
    ["https://user:word@example.com", false],
    ["https://example.com/?key=x", false],
    ["no address", false],
    ["https://${HOME}.evil.example/v1", false],
    ["https://%24%7BHOME%7D.evil.example/v1", false],
    ["https://evil.example/${env:HOME}", false],
    ["https://evil.example/$HOME", false],
    ["https://a_b.example/v1", false],
    ["http://127.0.0.1:1/v1", true],
    ["http://2130706433/v1", true],
    ["http://localhost:9/v1", true],
    ["https://10.0.0.7/v1", true],
    ["http://[::1]/v1", true],
    ["http://192.168.1.1/v1", true],
  ])("cannot use %s (whose user may write it into the file: %s)", async (url, mayWrite) => {
    const set = await stage("");
    const confirmed = { name: "one", type: "compatible", url, isPrivate: true } as const;
    const error = await save(set, confirmed).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      data: { field: "params.url", ...(mayWrite && { code: "config-invalid" }) },
      ...(mayWrite && { message: expect.stringContaining('"privateNetwork": true') }),
    });
    expect(await readdir(set.entry.folder)).not.toContain("mcp.json");
  });

  it("cannot use a service of this machine that is no model server, which gets no key", async () => {
    const heard: unknown[] = [];
    const service = createServer((request, response) => {
      heard.push([request.url, request.headers.authorization]);
      response.setHeader("content-type", "application/json").end('{"data":[{"name":"no model"}]}');
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => service.once("listening", resolve));
    open.push(() => service.close());
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`;
    const set = await stage("");
    expect(await codeOf(save(set, { name: "one", type: "compatible", url, key: KEY }))).toBe(
      "config-invalid",
    );
    expect(heard).toEqual([["/v1/models", undefined]]);
  });

  it("cannot reach a private address through the name of a public one", async () => {
    let asked = 0;
    const inside: Server = createServer((_request, response) => {
      asked++;
      response.end("{}");
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => inside.once("listening", resolve));
    open.push(() => inside.close());
    const { port } = inside.address() as AddressInfo;
    // As saved for a public name: addresses are checked when the connection is made, and localhost is such a name here.
    const set = await stage(
      `{ "model": { "providers": { "one": { "url": "http://localhost:${port}/v1", "privateNetwork": false } } } }`,
    );
    expect(await codeOf(set.page.request("model/list", { provider: "one" }))).toBe("model-unreachable");
    const test = await set.page.request("model/test", { model: "one/x" });
    expect(test.problem).toMatchObject({
      code: "model-unreachable",
      message: expect.stringContaining("private network"),
    });
    expect(asked).toBe(0);
    const saved = await stage("");
    await save(saved, { name: "one", type: "compatible", url: "https://models.example/v1" });
    expect(await saved.text()).toContain('"privateNetwork": false');
  });

  it("of a user who may not administer learns and changes nothing", async () => {
    const set = await stage('{ "model": { "providers": { "one": { "url": "https://a.example/v1" } } } }', {
      users: ["ann", "bea"],
      admins: ["ann"],
    });
    const before = await set.text();
    const bea = await set.entry.page("bea", "websocket");
    expect(await bea.request("model/providers", {})).toEqual({
      providers: [],
      locked: expect.stringContaining("administers"),
    });
    for (const request of [
      bea.request("model/save", { name: "one", type: "compatible", url: "https://b.example/v1" }),
      bea.request("model/forget", { name: "one", what: "provider" }),
      bea.request("model/list", { provider: "one" }),
      bea.request("model/detect", {}),
      bea.request("model/test", { model: "one/x" }),
    ])
      expect(await codeOf(request)).toBe("admin-required");
    expect(await set.text()).toBe(before);
  });

  it("of nobody's administrator is refused: with users, nobody may unless the settings say so", async () => {
    const set = await stage("", { admins: [] });
    expect(await codeOf(save(set, { name: "one", type: "openai", key: KEY }))).toBe("admin-required");
    expect(await readdir(set.entry.folder)).not.toContain("mcp.json");
  });

  it.each(["", "A", "a/b", "__proto__", "../x", "a".repeat(33), "a b"])(
    "cannot use the name %j",
    async (name) => {
      const set = await stage("");
      expect(await dataOf(save(set, { name, type: "openai", key: KEY }))).toEqual({ field: "params.name" });
    },
  );

  it("cannot get a key for an address that its user has not seen", async () => {
    const set = await stage('{ "model": { "providers": { "one": { "url": "https://a.example/v1" } } } }');
    const other = (await set.text()).replace("a.example", "b.example");
    expect(await codeOf(save(set, { name: "one", type: "compatible", key: KEY }))).toBe("settings-changed");
    await writeFile(set.file, other);
    const seen = { name: "one", type: "compatible", url: "https://a.example/v1", key: KEY } as const;
    expect(await codeOf(save(set, seen))).toBe("settings-changed");
    expect(await set.text()).toBe(other);
  });

  it("keeps a private address that the user has written, and its key can be replaced", async () => {
    const set = await stage(
      '{ "model": { "providers": { "one": { "url": "https://10.0.0.7/v1", "privateNetwork": true } } } }',
    );
    await save(set, { name: "one", type: "compatible", url: "https://10.0.0.7/v1", key: KEY });
    expect(await set.secret(keyIn(await set.text()))).toBe(KEY);
    expect(await set.text()).toContain('"privateNetwork": true');
  });

  it("cannot make the file one that the gateway would refuse", async () => {
    const set = await stage(
      '{ "model": { "use": "one/x", "providers": { "one": { "url": "https://a.example/v1" } } } }',
    );
    const broken = (await set.text()).replace("https://a.example/v1", "nowhere");
    await writeFile(set.file, broken);
    expect(
      await codeOf(save(set, { name: "one", type: "compatible", url: "https://a.example/v1", key: KEY })),
    ).toBe("config-invalid");
    expect(await set.text()).toBe(broken);
  });

  it("cannot write to a file that waits for approval, or is another program's", async () => {
    const changed = await stage("{}", { isApproved: async () => false });
    expect(await codeOf(save(changed, { name: "one", type: "openai", key: KEY }))).toBe(
      "settings-unwritable",
    );
    expect(await changed.text()).toBe("{}");
    const foreign = await stage("{}", { readOnly: "it is Claude's" });
    expect(await codeOf(save(foreign, { name: "one", type: "openai", key: KEY }))).toBe(
      "settings-unwritable",
    );
    expect(await foreign.page.request("model/providers", {})).toMatchObject({ locked: "it is Claude's" });
  });
});

describe("local model servers", () => {
  it("are found, used with one click, tested, and need no confirmation", async () => {
    const model = await scripted([callTool("say_hello", { word: "vitrine" })], ollama("qwen3:8b"));
    const { port } = new URL(model.url);
    const set = await stage("", { ports: { Ollama: Number(port) } });
    const { found } = await set.page.request("model/detect", {});
    expect(found).toEqual([
      { program: "Ollama", url: model.url, models: [{ name: "qwen3:8b", context: 40_960, canCall: true }] },
    ]);
    await save(set, { name: "ollama", type: "compatible", url: model.url });
    expect((await set.page.request("model/detect", {})).found[0]?.provider).toBe("ollama");
    expect((await set.page.request("model/list", { provider: "ollama" })).models).toEqual([
      { id: "ollama/qwen3:8b", label: "qwen3:8b", context: 40_960, canCall: true },
    ]);
    expect(await set.page.request("model/test", { model: "ollama/qwen3:8b" })).toMatchObject({
      canCall: true,
    });
  });
});

it("one test message of a user runs at a time", async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const model = await scripted([async () => held.then(() => say("late"))]);
  const set = await stage("");
  await save(set, { name: "one", type: "compatible", url: model.url });
  const first = set.page.request("model/test", { model: "one/x" });
  await expect.poll(() => model.requests.length).toBe(1);
  expect(await codeOf(set.page.request("model/test", { model: "one/x" }))).toBe("overloaded");
  release();
  expect(await first).toMatchObject({ text: "late", canCall: false });
});
