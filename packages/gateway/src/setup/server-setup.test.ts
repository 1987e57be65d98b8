/** Pages that change the settings file of a whole gateway. Attack E05: a page that starts a process. */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openSecrets, secretKey } from "@vitrine/servers";
import type { ServerDraft } from "@vitrine/wire";
import { afterEach, describe, expect, it } from "vitest";
import type { RawPage } from "../../../../testing/gateway/entry-points.js";
import { startHttpServer } from "../../../../testing/gateway/http-server.js";
import { SetupStage, type SetupStageOptions } from "../../../../testing/gateway/setup-stage.js";

const SDK_SERVER = fileURLToPath(new URL("../../../../testing/gateway/sdk-server.mjs", import.meta.url));

/** A variable that the page must not read. */
const VARIABLE = "$" + "{PRIVATE_KEY}";

const stages: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0).reverse()) await stage.close();
});

async function open(options?: SetupStageOptions): Promise<{ stage: SetupStage; page: RawPage }> {
  const stage = await SetupStage.open(options);
  stages.push(stage);
  return { stage, page: stage.page() };
}

async function remote(): Promise<string> {
  const server = await startHttpServer();
  stages.push(server);
  return server.url;
}

/** A program that leaves a mark when it is started, and is a server. */
const marking = (marker: string, env: Record<string, unknown> = {}) => ({
  command: process.execPath,
  args: [
    "-e",
    `require("fs").writeFileSync(${JSON.stringify(marker)}, process.env.KEY ?? ""); import(${JSON.stringify(SDK_SERVER)})`,
  ],
  ...env,
});
const names = async (page: RawPage) =>
  (await page.request("gateway/servers", {})).servers.map(({ name }) => name);
const ready = async (page: RawPage, server: string) => {
  await page.request("gateway/catalogue", { server });
  const { servers } = await page.request("gateway/servers", {});
  expect(servers.find(({ name }) => name === server)).toMatchObject({ state: "ready" });
};
/** Adds a server of this machine, which the terminal allows. */
const addHere = async (stage: SetupStage, page: RawPage, name: string, draft: ServerDraft) => {
  const { pending } = await page.request("gateway/add-server", { name, draft });
  expect(pending?.state).toBe("asking");
  await stage.allow();
  await expect.poll(() => names(page)).toContain(name);
};
const code = (expected: string) =>
  expect.objectContaining({ data: expect.objectContaining({ code: expected }) });

describe("a server with an address", () => {
  it("starts once it is allowed, is in the file with the comments, and can be disabled, enabled and removed", async () => {
    const { stage, page } = await open({ text: '{\n  // mine\n  "mcpServers": {}\n}\n' });
    const url = await remote();
    await addHere(stage, page, "shop", { url });
    expect(await stage.text()).toBe(
      `{\n  // mine\n  "mcpServers": {\n    "shop": {\n      "url": "${url}"\n    }\n  }\n}\n`,
    );
    await ready(page, "shop");
    const switched = async (disabled: boolean) =>
      page.request("gateway/change-server", {
        name: "shop",
        version: await stage.version(page, "shop"),
        disabled,
      });
    expect(await switched(true)).toEqual({});
    expect(await names(page)).toEqual([]);
    expect((await stage.state(page)).servers).toMatchObject([{ name: "shop", disabled: true }]);
    expect(await switched(false)).toEqual({});
    expect(await names(page)).toEqual(["shop"]);
    await page.request("gateway/remove-server", { name: "shop", version: await stage.version(page, "shop") });
    expect(await names(page)).toEqual([]);
    expect(await stage.text()).toBe('{\n  // mine\n  "mcpServers": {}\n}\n');
    expect(stage.questions).toHaveLength(1);
  });

  it("gets header secrets, which are stored, never shown, and deleted with it", async () => {
    const { stage, page } = await open();
    const server = await startHttpServer();
    stages.push(server);
    const draft = {
      url: server.url,
      headers: { "X-Key": { secret: "s3cret-value" }, "X-Team": { text: "blue" } },
    };
    await addHere(stage, page, "shop", draft);
    await ready(page, "shop");
    expect(server.received.at(-1)?.headers).toMatchObject({ "x-key": "s3cret-value", "x-team": "blue" });
    const text = await stage.text();
    expect(text).not.toContain("s3cret-value");
    const [, name = ""] = /\$\{secret:([^}]+)\}/.exec(text) ?? [];
    const state = await stage.state(page);
    expect(JSON.stringify(state)).not.toMatch(/s3cret-value|blue/);
    expect(state.servers[0]?.headers).toEqual({ "X-Key": "secret", "X-Team": "text" });
    // Kept without being sent again.
    await page.request("gateway/change-server", {
      name: "shop",
      version: state.servers[0]?.version ?? "",
      draft: { url: server.url, headers: { "X-Key": { keep: true } } },
    });
    expect(Object.keys(JSON.parse(await stage.text()).mcpServers.shop.headers)).toEqual(["X-Key"]);
    await page.request("gateway/remove-server", { name: "shop", version: await stage.version(page, "shop") });
    const secrets = await openSecrets({ folder: join(stage.folder, "data"), keyring: "none" });
    expect(await secrets.get(secretKey(name))).toBeUndefined();
  });

  it("is refused with a fix if it is wrong, or has a name that is taken", async () => {
    const { stage, page } = await open({
      text: '{ "mcpServers": { "shop": { "url": "https://shop.example/mcp" } } }',
    });
    const before = await stage.text();
    const add = (name: string, draft: ServerDraft) => page.request("gateway/add-server", { name, draft });
    await expect(add("a b", { url: "https://a.example" })).rejects.toThrow("is not a valid name");
    await expect(add("a", { url: "http://a.example" })).rejects.toThrow("must be https");
    await expect(add("a", { url: "ftp://a.example" })).rejects.toThrow("is not a web address");
    await expect(add("a", {})).rejects.toThrow("has no command and no url");
    await expect(add("SHOP", { url: "https://a.example" })).rejects.toThrow("differs only in case");
    await expect(add("shop", { url: "https://a.example" })).rejects.toEqual(code("server-exists"));
    const stale = { name: "shop", version: "0".repeat(32), disabled: true };
    await expect(page.request("gateway/change-server", stale)).rejects.toEqual(code("settings-changed"));
    expect(await stage.text()).toBe(before);
  });

  it("attack: needs the terminal if it would send variables or kept secrets elsewhere, or reach the private network", async () => {
    const { stage, page } = await open();
    const url = await remote();
    await addHere(stage, page, "shop", { url, headers: { "X-Key": { secret: "s3cret" } } });
    const text = await stage.text();
    const version = await stage.version(page, "shop");
    const attempts: [string, ServerDraft][] = [
      ["url-reference", { url: `https://evil.example/?k=${VARIABLE}` }],
      ["header-reference", { url: "https://evil.example", headers: { K: { text: VARIABLE } } }],
      ["private", { url: "https://10.0.0.1/mcp" }],
      ["loopback", { url: "http://127.0.0.1:1/mcp" }],
      ["localhost", { url: "http://localhost:1/mcp" }],
      ["private-plain", { url: "http://printer.local/mcp", privateNetwork: true }],
    ];
    for (const [name, draft] of attempts)
      expect((await page.request("gateway/add-server", { name, draft })).pending?.state, name).toBe("asking");
    const moved = { url: "https://evil.example", headers: { "X-Key": { keep: true as const } } };
    const { pending } = await page.request("gateway/change-server", { name: "shop", version, draft: moved });
    expect(pending?.state).toBe("asking");
    expect(await stage.text()).toBe(text);
    // This address is in force already.
    expect(await page.request("gateway/add-server", { name: "again", draft: { url } })).toEqual({});
  });

  it.each(["http://169.254.169.254/latest", "https://[fe80::1]/", "https://[::ffff:169.254.169.254]/"])(
    "attack: %s is never accepted",
    async (url) => {
      const { stage, page } = await open({
        imports: { "other.json": JSON.stringify({ mcpServers: { cloud: { url } } }) },
      });
      const draft = { url, privateNetwork: true };
      const added = page.request("gateway/add-server", { name: "cloud", draft });
      await expect(added).rejects.toThrow("is reserved for the network itself");
      for (const from of [
        { text: `{ "cloud": { "url": "${url}" } }` },
        { file: join(stage.folder, "other.json") },
      ]) {
        const found = await page.request("gateway/add-found", { ...from, names: ["cloud"] });
        expect(found.failed).toMatchObject([{ message: expect.stringContaining("is reserved") }]);
      }
    },
  );

  it("attack: needs the terminal if another origin would get the policy, permissions or folders of the first", async () => {
    const url = "https://a.example/mcp";
    const mcpServers = Object.fromEntries([
      ["plain", { url }],
      ["policy", { url, policy: { "tools/call": "allow" } }],
      ["roots", { url, roots: ["file:///srv"] }],
      ["program", { command: "true", policy: { "tools/call": "allow" } }],
    ]);
    const { stage, page } = await open({ text: JSON.stringify({ mcpServers }) });
    const move = async (name: string, to: string) => {
      const version = await stage.version(page, name);
      const { pending } = await page.request("gateway/change-server", { name, version, draft: { url: to } });
      return pending?.state;
    };
    expect(await move("plain", "https://evil.example/mcp")).toBeUndefined();
    for (const name of ["policy", "roots", "program"])
      expect(await move(name, "https://evil.example/mcp"), name).toBe("asking");
    expect(await move("policy", "https://a.example/other")).toBeUndefined();
  });

  it("attack: a draft that also enables a server is judged as a new one", async () => {
    const url = "http://127.0.0.1:1/mcp";
    const headers = { K: VARIABLE };
    const { stage, page } = await open({
      text: JSON.stringify({
        mcpServers: {
          here: { url, disabled: true },
          reads: { url: "https://a.example", headers, disabled: true },
        },
      }),
    });
    const drafts = {
      here: { url, type: "sse" },
      reads: { url: "https://a.example", type: "sse", headers: { K: { keep: true } } },
    } as const;
    for (const [name, draft] of Object.entries(drafts)) {
      const version = await stage.version(page, name);
      const change = { name, version, draft, disabled: false };
      expect((await page.request("gateway/change-server", change)).pending?.state, name).toBe("asking");
    }
  });
});

describe("attack: a command that a page asks for", () => {
  it("is not started and not written until the terminal says yes, and then exactly as shown", async () => {
    const { stage, page } = await open();
    const marker = join(stage.folder, "started");
    const { pending } = await page.request("gateway/add-server", {
      name: "tool",
      draft: { ...marking(marker), env: { KEY: { secret: "k1" } } },
    });
    expect(pending).toMatchObject({ state: "asking", change: "add", command: "vitrine add tool" });
    await expect.poll(() => stage.questions.length).toBe(1);
    expect(await stage.text()).toBe("{}\n");
    await expect(page.request("gateway/start", { server: "tool" })).rejects.toEqual(code("server-unknown"));
    expect(existsSync(marker)).toBe(false);
    const [question] = stage.questions;
    expect(question).toMatchObject({ name: "tool", change: "add", entry: { command: process.execPath } });
    question?.answer(true);
    await expect.poll(() => names(page)).toEqual(["tool"]);
    await ready(page, "tool");
    expect(await readFile(marker, "utf8")).toBe("k1");
    expect(JSON.parse(await stage.text()).mcpServers.tool).toEqual(question?.entry);
    expect((await stage.state(page)).pending).toEqual([]);
    expect(await stage.audit()).toMatchObject([
      {
        method: "gateway/add-server",
        server: "tool",
        decision: "allowed",
        reason: "asked",
        target: process.execPath,
      },
      { kind: "outcome", outcome: "ok" },
    ]);
  });

  it("is neither written nor started if the terminal says no, and that is recorded", async () => {
    const { stage, page } = await open();
    const marker = join(stage.folder, "started");
    await page.request("gateway/add-server", { name: "tool", draft: marking(marker) });
    await expect.poll(() => stage.questions.length).toBe(1);
    stage.questions[0]?.answer(false);
    await expect.poll(async () => (await stage.state(page)).pending[0]?.state).toBe("declined");
    expect(await stage.text()).toBe("{}\n");
    expect(existsSync(marker)).toBe(false);
    await expect.poll(() => stage.audit()).toMatchObject([{ decision: "refused", reason: "declined" }]);
    const [{ id = "" } = {}] = (await stage.state(page)).pending;
    await page.request("gateway/dismiss-server", { id });
    expect((await stage.state(page)).pending).toEqual([]);
  });

  it("waits for the command line where there is no terminal", async () => {
    const { stage, page } = await open({ canAsk: false });
    const { pending } = await page.request("gateway/add-server", {
      name: "tool",
      draft: { ...marking(join(stage.folder, "started")), env: { KEY: { secret: "k1" } } },
    });
    expect(pending).toMatchObject({ state: "unasked", command: "vitrine add tool" });
    expect(stage.questions).toEqual([]);
    expect(await stage.text()).toBe("{}\n");
    // The secret that the line refers to is stored until the change is withdrawn.
    const [, secret = ""] = /\$\{secret:([^}]+)\}/.exec(pending?.lines.join("\n") ?? "") ?? [];
    const secrets = () => openSecrets({ folder: join(stage.folder, "data"), keyring: "none" });
    expect(await (await secrets()).get(secretKey(secret))).toBe("k1");
    // Somebody ran that line in another terminal.
    await writeFile(stage.file, JSON.stringify({ mcpServers: { tool: { command: "true" } } }));
    await expect.poll(async () => (await stage.state(page)).pending).toEqual([]);
    await expect.poll(async () => (await secrets()).get(secretKey(secret))).toBeUndefined();
  });

  it("cannot be changed between its display and the answer", async () => {
    const { stage, page } = await open();
    const [first, second] = [join(stage.folder, "first"), join(stage.folder, "second")];
    await page.request("gateway/add-server", { name: "tool", draft: marking(first) });
    await expect.poll(() => stage.questions.length).toBe(1);
    await page.request("gateway/add-server", { name: "tool", draft: marking(second) });
    await expect.poll(() => stage.questions.length).toBe(2);
    // The first question is gone: an answer to it counts for nothing.
    expect(stage.questions[0]?.signal.aborted).toBe(true);
    stage.questions[0]?.answer(true);
    expect((await stage.state(page)).pending).toHaveLength(1);
    expect(await stage.text()).toBe("{}\n");
    stage.questions[1]?.answer(true);
    await expect.poll(() => names(page)).toEqual(["tool"]);
    expect(await stage.text()).toContain("second");
    expect(await stage.text()).not.toContain("first");
  });

  it("is not written if the file was changed between its display and the answer", async () => {
    const text = JSON.stringify({ mcpServers: { tool: { command: "true", disabled: true } } });
    const { stage, page } = await open({ text });
    const version = await stage.version(page, "tool");
    await page.request("gateway/change-server", { name: "tool", version, draft: { command: "false" } });
    await expect.poll(() => stage.questions.length).toBe(1);
    const other = text.replace('"true"', '"cat"');
    await writeFile(stage.file, other);
    stage.questions[0]?.answer(true);
    await expect
      .poll(async () => (await stage.state(page)).pending[0])
      .toMatchObject({
        state: "failed",
        problem: expect.stringContaining("changed in the settings file meanwhile"),
      });
    expect(await stage.text()).toBe(other);
  });

  it("needs the terminal for every change of what runs: command, arguments, variables, folder, isolation", async () => {
    const { stage, page } = await open();
    const marker = join(stage.folder, "started");
    const entry = { ...marking(marker), cwd: stage.folder, isolation: { driver: "bubblewrap" as const } };
    const text = JSON.stringify({ mcpServers: { tool: { ...entry, env: { A: "1" } } } });
    await writeFile(stage.file, text);
    await expect.poll(() => names(page)).toEqual(["tool"]);
    const version = await stage.version(page, "tool");
    const kept = { ...entry, env: { A: { keep: true as const } } };
    const changes: ServerDraft[] = [
      { ...kept, command: "sh" },
      { ...kept, args: [...kept.args, "more"] },
      { ...kept, env: { A: { text: "2" } } },
      { ...kept, env: { A: { secret: "2" } } },
      { ...kept, env: { ...kept.env, NODE_OPTIONS: { text: "--require=/tmp/x.js" } } },
      { ...kept, env: {} },
      { ...kept, cwd: "/" },
      { ...kept, isolation: { driver: "process" } },
      { ...kept, isolation: { driver: "bubblewrap", network: true } },
      { ...kept, isolation: { driver: "bubblewrap", write: ["/"] } },
      { ...kept, isolation: undefined },
    ];
    for (const draft of changes) {
      const { pending } = await page.request("gateway/change-server", { name: "tool", version, draft });
      expect(pending?.state, JSON.stringify(draft)).toBe("asking");
    }
    expect(await page.request("gateway/change-server", { name: "tool", version, draft: kept })).toEqual({});
    expect(await stage.text()).toBe(text);
    expect(existsSync(marker)).toBe(false);
  });

  it("needs the terminal to turn an address into a command, or to enable a command that has not run", async () => {
    const marker = "/nonexistent/marker";
    const { stage, page } = await open({
      text: JSON.stringify({
        mcpServers: {
          a: { url: "https://a.example" },
          b: { ...marking(marker), disabled: true },
          c: { url: "https://c.example", disabled: true },
        },
      }),
    });
    const change = async (name: string, params: { draft?: ServerDraft; disabled?: boolean }) =>
      page.request("gateway/change-server", { name, version: await stage.version(page, name), ...params });
    expect((await change("a", { draft: marking(marker) })).pending?.change).toBe("edit");
    expect((await change("b", { disabled: false })).pending?.change).toBe("enable");
    expect(await change("c", { disabled: false })).toEqual({});
    const both = await change("b", { disabled: true, draft: { command: "sh" } });
    expect(both.pending?.change).toBe("edit");
  });

  it("a command that has run can be disabled and enabled in the page", async () => {
    const { stage, page } = await open({ text: JSON.stringify({ mcpServers: { b: { command: "true" } } }) });
    for (const disabled of [true, false]) {
      const version = await stage.version(page, "b");
      expect(await page.request("gateway/change-server", { name: "b", version, disabled })).toEqual({});
    }
    expect(await names(page)).toEqual(["b"]);
  });

  it("attack: a change that changes nothing does not start a command that this run does not use", async () => {
    const text = JSON.stringify({ mcpServers: { used: { command: "true" }, other: { command: "false" } } });
    const { stage, page } = await open({ text, uses: ["used"] });
    const enable = async (name: string) =>
      page.request("gateway/change-server", {
        name,
        version: await stage.version(page, name),
        disabled: false,
      });
    expect(await enable("used")).toEqual({});
    expect((await enable("other")).pending?.state).toBe("asking");
    expect(stage.isNew).toEqual([]);
    await stage.allow();
    await expect.poll(() => stage.isNew).toEqual(["other"]);
  });

  it("attack: its question does not show the page values that the page did not send", async () => {
    const env = { TOKEN: "kept-literal", MODE: "old" };
    const { stage, page } = await open({
      text: JSON.stringify({ mcpServers: { tool: { command: "true", env, disabled: true } } }),
      imports: {
        "other.json": JSON.stringify({ mcpServers: { more: { command: "x", env: { N: "kept-literal" } } } }),
      },
    });
    const version = await stage.version(page, "tool");
    const draft = { command: "false", env: { TOKEN: { keep: true as const }, MODE: { text: "fast" } } };
    const { pending } = await page.request("gateway/change-server", { name: "tool", version, draft });
    expect(pending?.lines.join()).toContain('"env":{"TOKEN":"(kept)","MODE":"fast"}');
    expect(pending?.command).toBeUndefined();
    const enabled = { name: "tool", version, disabled: false };
    const file = join(stage.folder, "other.json");
    const answers = [
      pending,
      await page.request("gateway/change-server", enabled),
      await page.request("gateway/add-found", { file, names: ["more"] }),
      await stage.state(page),
    ];
    expect(JSON.stringify(answers)).not.toContain("kept-literal");
    // The terminal shows all.
    await expect.poll(() => JSON.stringify(stage.questions)).toContain("kept-literal");
  });

  it("is refused if it is too long to be read, and the terminal is not buried in questions", async () => {
    const { stage, page } = await open();
    const add = (name: string, args: string[]) =>
      page.request("gateway/add-server", { name, draft: { command: "echo", args } });
    await expect(add("long", [" ".repeat(6_000)])).rejects.toThrow("too long to be read");
    for (let count = 0; count < 10; count++) await add(`n${count}`, []);
    await expect(add("n10", [])).rejects.toEqual(code("overloaded"));
    expect(await stage.text()).toBe("{}\n");
  });

  it("attack: a page that withdraws ten questions within a minute asks no more", async () => {
    const { stage, page } = await open();
    const ask = (word: number) =>
      page.request("gateway/add-server", { name: "tool", draft: { command: "node", args: [`${word}`] } });
    for (let word = 0; word <= 10; word++) await ask(word);
    await expect(ask(11)).rejects.toEqual(code("rate-limited"));
    // The last one is still there, to be answered.
    expect((await stage.state(page)).pending).toHaveLength(1);
  });

  it("needs the terminal in pasted text and in imported files too", async () => {
    const marker = "/nonexistent/marker";
    const other = { mcpServers: { imported: marking(marker), web: { url: "https://web.example/mcp" } } };
    const { stage, page } = await open({ imports: { "other.json": JSON.stringify(other) } });
    const text = `{ // from a page\n "mcpServers": { "pasted": ${JSON.stringify(marking(marker))}, } }`;
    const pasted = await page.request("gateway/add-found", { text, names: ["pasted"] });
    expect(pasted).toMatchObject({ added: [], pending: [{ name: "pasted", state: "asking" }] });
    const file = join(stage.folder, "other.json");
    const imported = await page.request("gateway/add-found", { file, names: ["imported", "web"] });
    expect(imported).toMatchObject({ added: ["web"], pending: [{ name: "imported" }], failed: [] });
    expect(Object.keys(JSON.parse(await stage.text()).mcpServers)).toEqual(["web"]);
    const elsewhere = page.request("gateway/add-found", { file: join(stage.folder, "data"), names: ["x"] });
    await expect(elsewhere).rejects.toThrow("not in the list of files");
  });
});

describe("the settings file", () => {
  it("attack: a text that the user has not approved is not changed, and not approved on the way", async () => {
    const { stage, page } = await open();
    const text = JSON.stringify({ mcpServers: { evil: { command: "true", disabled: true } } });
    stage.unapproved.add(text);
    await writeFile(stage.file, text);
    const add = page.request("gateway/add-server", { name: "a", draft: { url: "https://a.example" } });
    await expect(add).rejects.toEqual(code("settings-changed"));
    expect(await stage.text()).toBe(text);
  });

  it("survives a restart of the gateway", async () => {
    const { stage, page } = await open();
    const url = await remote();
    await addHere(stage, page, "shop", { url, headers: { K: { secret: "s" } } });
    await stage.gateway.close(0);
    await stage.start(true, []);
    await ready(stage.page(), "shop");
  });
});

describe("import", () => {
  it("finds servers in files of other programs, with what is wrong", async () => {
    const { page } = await open({
      imports: {
        "zed.json":
          '{ "context_servers": { "z": { "command": { "path": "zed-server", "args": ["--x y"] } } } }',
        "empty.json": "{}",
        "broken.json": '{ "mcpServers": {\n "a": nope } }',
      },
    });
    const { files } = await page.request("gateway/import-candidates", {});
    expect(files).toMatchObject([
      {
        program: "zed.json",
        servers: [{ name: "z", shown: 'zed-server "--x y"', kind: "command" }],
        problems: [],
      },
      { program: "broken.json", servers: [], problems: [{ line: 2 }] },
    ]);
  });
});

describe("the log of a server", () => {
  it("has its stderr and its states, and goes on live to a page that follows it", async () => {
    const script = `process.stderr.write("first line\\n"); import(${JSON.stringify(SDK_SERVER)}).then(() => process.stdin.on("data", () => process.stderr.write("later\\n")))`;
    const { page } = await open({
      text: JSON.stringify({ mcpServers: { tool: { command: process.execPath, args: ["-e", script] } } }),
    });
    await ready(page, "tool");
    const { lines } = await page.request("gateway/server-log", { server: "tool", follow: true });
    expect(lines.map(({ text }) => text)).toEqual(
      expect.arrayContaining(["starting", "first line", "ready"]),
    );
    await page.request("gateway/call", { server: "tool", name: "echo", arguments: { text: "x" } });
    await expect
      .poll(() => page.notices("gateway/stderr").flatMap((notice) => notice.lines.map(({ text }) => text)))
      .toContain("later");
  });
});
