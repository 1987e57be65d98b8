/** The command line: its options, its output, and its exit codes. */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { GatewayError } from "@vitrine/wire";
import Libsql from "libsql";
import { afterAll, describe, expect, it, vi } from "vitest";
import { readSettingsFile } from "../config/read.js";
import { watchSettings } from "../config/watch.js";
import { openStore } from "../store/open.js";
import { auditCommand } from "./audit.js";
import { holdCommand } from "./hold.js";
import { secretCommand } from "./secret.js";
import { settingsOf } from "./settings.js";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "vitrine-commands-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Without access to this machine's keyring. */
const env = { PATH: process.env["PATH"], HOME: folder };

async function run(words: string[], input = "") {
  const child = spawn(process.execPath, [MAIN, ...words], { env, cwd: folder });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { out, err, code };
}

/** Runs a command in this process, if it prints to stdout and needs no stdin. */
async function inside(command: Promise<number>) {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    const code = await command;
    return { code, out: write.mock.calls.map(([chunk]) => `${chunk}`).join("") };
  } finally {
    write.mockRestore();
  }
}

describe("vitrine-gateway", () => {
  it("--help names every flag and command", async () => {
    const help = await run(["--help"]);
    expect(help).toMatchObject({ code: 0, err: "" });
    const flags =
      "config port host allow-remote data database static strict isolation image network help version";
    const commands = [
      ...["verify", "verify --archive FOLDER", "export", "prune DAYS", "vacuum", "accept-broken-chain"],
      ...["set NAME", "delete NAME", "add --reason TEXT", "list", "export ID", "remove ID"],
    ];
    for (const word of [...flags.split(" ").map((flag) => `--${flag}`), ...commands])
      expect(help.out).toContain(word);
  });

  it("prints errors that the user can fix as one sentence, on stderr", async () => {
    const { code, out, err } = await run(["--prot", "1"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^Unknown option '--prot'.*\n$/);
  });

  const data = join(folder, "wrong");
  it.each<[string, () => Promise<unknown>, RegExp]>([
    ["a missing file", () => settingsOf({ data, config: "no-such-file.json" }), /no-such-file\.json/],
    ["an invalid port", () => settingsOf({ data, port: "many" }), /port/],
    ["a public address", () => settingsOf({ data, host: "0.0.0.0" }), /users/],
    [
      "an unknown isolation",
      async () => settingsOf({ data, isolation: "jail", server: ["node"] }),
      /--isolation: use/,
    ],
    [
      "a container without an image",
      async () => settingsOf({ data, isolation: "container", server: ["node"] }),
      /--isolation container: name an image/,
    ],
    ["an unknown command", () => auditCommand(["burn"], { data }), /audit: use verify, export/],
    ["a hold without a scope", () => holdCommand(["add"], { reason: "case" }, { data }), /needs a user/],
    [
      "a hold with an invalid day",
      () => holdCommand(["add"], { from: "31.3.26" }, { data }),
      /--from: write a day/,
    ],
    ["an unknown hold", () => holdCommand(["remove", "x"], {}, { data }), /no legal hold x/],
    ["a hold without an id", () => holdCommand(["remove"], {}, { data }), /hold: use add/],
    ["an invalid number of days", () => auditCommand(["prune", "all"], { data }), /number of days/],
    ["an invalid name", () => secretCommand(["set", "a b"], { data }), /secret: use set NAME/],
  ])("reports %s", async (_what, wrong, sentence) => {
    const error = await wrong().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({
      data: { code: "config-invalid" },
      message: expect.stringMatching(sentence),
    });
  });

  it("applies the isolation options to the named server", async () => {
    const line = {
      data,
      server: ["node", "server.js"],
      isolation: "container",
      image: "node:22",
      network: true,
    };
    const { servers } = await settingsOf(line);
    expect([...servers.values()]).toMatchObject([
      {
        transport: {
          isolation: { driver: "container", image: "node:22", network: true, read: [process.cwd()] },
        },
      },
    ]);
  });

  it("runs until it is stopped, and prints the sign-in link to stdout only", async () => {
    const words = [MAIN, "--port", "0", "--data", join(folder, "served")];
    const child = spawn(process.execPath, words, { env, cwd: folder });
    const ended = new Promise((resolve) => child.once("close", (code) => resolve(code)));
    const log = text(child.stderr);
    let out = "";
    child.stdout.on("data", (data) => {
      out += data;
    });
    await expect.poll(() => out).toMatch(/→ (http\S+)/);
    const link = new URL(/→ (http\S+)/.exec(out)?.[1] ?? "");
    expect((await fetch(new URL("/api/servers", link))).status).toBe(401);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    const secret = `${link.search}${link.hash}`.split("=").at(-1) ?? "";
    expect(secret.length).toBeGreaterThan(20);
    expect(await log).not.toContain(secret);
  });

  it.each([
    [
      "a used port",
      /^port \d+ is in use: choose another one with --port, or with "listen\.port" in the settings\n$/,
    ],
    [
      "a used port for apps",
      /^port \d+ is in use: apps are served on it\. Choose another one with "sandbox\.port" in the settings\n$/,
    ],
    ["a data folder that is a file", /^cannot use the data folder .*a-file: .*--data\)\n$/],
    ["a page folder that is a file", /^.*a-file is not a folder: name the folder with the page\n$/],
    ["a database in a missing folder", /^cannot use the database sqlite:.*a-file.*\n$/],
  ])(
    "explains in one sentence that it cannot start because of %s, and leaves nothing running",
    async (what, sentence) => {
      const file = join(folder, "a-file");
      writeFileSync(file, "");
      const taken = createServer();
      await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
      const port = `${Object(taken.address()).port}`;
      const config = join(folder, "eager.json");
      const mark = `VITRINE_TEST_${process.pid}`;
      const server = {
        command: "sleep",
        args: ["300"],
        env: { [mark]: what },
        start: "eager",
        isolation: "process",
      };
      const sandbox = { port: what === "a used port for apps" ? Number(port) : 0 };
      writeFileSync(config, JSON.stringify({ mcpServers: { server }, listen: { port: 0 }, sandbox }));
      const words: Record<string, string[]> = {
        "a used port": ["--port", port],
        "a used port for apps": [],
        "a data folder that is a file": ["--port", "0", "--data", file],
        "a page folder that is a file": ["--port", "0", "--static", file],
        "a database in a missing folder": ["--port", "0", "--database", `sqlite:${file}/a.db`],
      };
      const { code, err } = await run([
        ...["--config", config, "--data", join(folder, "failed")],
        ...(words[what] ?? []),
      ]);
      taken.close();
      // Before it: the gateway's log.
      expect(
        err
          .split("\n")
          .filter((line) => !line.startsWith("{"))
          .join("\n"),
      ).toMatch(sentence);
      expect(code).toBe(1);
      const left = readdirSync("/proc").filter((pid) => {
        try {
          return (
            /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "latin1").includes(`${mark}=${what}`)
          );
        } catch {
          return false;
        }
      });
      expect(left).toEqual([]);
    },
  );

  it.each([
    ["during the start", "net.Server.prototype", "listen", "true"],
    ["as soon as it prints its address", "process.stdout", "write", 'String(given[0]).includes("→")'],
  ])("stops in order after a signal %s", async (_when, object, method, isNow) => {
    const preload = `import net from "node:net";
      const original = ${object}.${method};
      let isSent = false;
      ${object}.${method} = function (...given) {
        const result = original.apply(this, given);
        // Without a handler, this ends the process here.
        if (${isNow} && !isSent) process.kill(process.pid, "SIGTERM");
        // A second signal would end it at once.
        isSent ||= ${isNow};
        return result;
      };`;
    const words = [MAIN, "--port", "0", "--data", join(folder, `stopped-${method}`)];
    const child = spawn(
      process.execPath,
      ["--import", `data:text/javascript,${encodeURIComponent(preload)}`, ...words],
      { env, cwd: folder },
    );
    const ended = new Promise((resolve) => child.once("close", (code, signal) => resolve(signal ?? code)));
    const [log] = await Promise.all([text(child.stderr), text(child.stdout)]);
    expect(await ended, log).toBe(0);
  });
});

describe("vitrine-gateway secret", () => {
  it("stores a secret from stdin, encrypted in its folder, for the settings that refer to it; and deletes it", async () => {
    const data = join(folder, "secrets");
    const config = join(folder, "mcp.json");
    const server = { url: "https://far.example/mcp", headers: { "x-key": "$" + "{secret:key}" } };
    writeFileSync(config, JSON.stringify({ mcpServers: { far: server } }));
    const at = ["--config", config, "--data", data];
    const value = "correct horse battery";
    expect(await run(["secret", "set", "key", ...at], `${value}\n`)).toEqual({
      code: 0,
      err: "",
      out: "key saved\n",
    });
    for (const file of readdirSync(data)) expect(readFileSync(join(data, file), "utf8")).not.toContain(value);
    expect(await run(["audit", "verify", ...at])).toMatchObject({ code: 0 });
    // A program that embeds the gateway finds it too, without an option.
    const overrides = { dataFolder: data };
    const found = { transport: { headers: { "x-key": value } } };
    expect((await readSettingsFile(config, { overrides })).servers.get("far")).toMatchObject(found);
    const watch = await watchSettings(config, () => {}, { overrides, onerror: () => {} });
    watch.close();
    expect(watch.current.servers.get("far")).toMatchObject(found);
    expect(await run(["secret", "delete", "key", ...at])).toMatchObject({ code: 0 });
    expect(await run(["audit", "verify", ...at])).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        `store it with vitrine secret set key --config ${config} --data ${data}, or`,
      ),
    });
  });
});

describe("a secret that the file itself needs", () => {
  const reference = "$" + "{secret:key}";
  it.each([
    ["a token", { users: [{ name: "ana", token: reference }] }],
    ["a database", { database: reference }],
    ["a file with another problem", { users: [{ name: "ana", token: "$" + "{env:NOT_SET}" }] }],
  ])("can be stored for %s, in the folder that the file names", async (_what, settings) => {
    const config = join(folder, "needs.json");
    const dataFolder = join(folder, "needs");
    writeFileSync(config, JSON.stringify({ dataFolder, ...settings }));
    expect(await run(["secret", "set", "key", "--config", config], "some value")).toMatchObject({ code: 0 });
    expect(readdirSync(dataFolder)).toContain("secrets");
    rmSync(dataFolder, { recursive: true });
  });
});

describe("vitrine-gateway audit", () => {
  const file = join(folder, "audit.db");
  const audit = (...words: string[]) =>
    inside(auditCommand(words, { database: `sqlite:${file}`, data: join(folder, "audit") }));

  it("verifies, exports and prunes the log of a stopped gateway", async () => {
    const store = await openStore(`sqlite:${file}`, {});
    const call = { user: "ann", actor: "view", server: "shop", method: "tools/call" } as const;
    for (const target of ["look", "change"]) {
      const seq = await store.audit.begin({ ...call, target, decision: "allowed", reason: "policy" });
      store.audit.end(seq, { outcome: "ok", duration: 1 });
    }
    await store.audit.flush();
    await store.close();
    expect(await audit("verify")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^4 rows, intact; the last hash is [0-9a-f]{64}\n$/),
    });
    const { code, out } = await audit("export");
    expect(code).toBe(0);
    const rows = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows.filter(({ kind }) => kind === "entry").map(({ target }) => target)).toEqual([
      "look",
      "change",
    ]);
    expect(await audit("prune", "1")).toMatchObject({ code: 0, out: "0 rows were removed\n" });
    expect(await audit("prune", "0")).toMatchObject({ code: 0, out: "4 rows were removed\n" });
    expect(await audit("verify")).toMatchObject({ code: 0 });
  });

  it("reports where the chain is broken, and continues after that was accepted", async () => {
    const store = await openStore(`sqlite:${file}`, {});
    const call = { user: "ann", actor: "view", server: "shop", method: "tools/call" } as const;
    const seq = await store.audit.begin({ ...call, decision: "refused", reason: "denied" });
    await store.audit.begin({ ...call, decision: "refused", reason: "denied" });
    await store.close();
    const database = new Libsql(file);
    for (const { name } of database
      .prepare("select name from sqlite_master where type = 'trigger'")
      .all() as {
      name: string;
    }[])
      database.exec(`drop trigger "${name}"`);
    database.prepare("update vitrine_audit set reason = 'policy' where seq = ?").run(seq);
    database.close();
    const broken = await audit("verify");
    expect(broken).toMatchObject({ code: 1, out: expect.stringContaining(`BROKEN at row ${seq}`) });
    expect(await audit("accept-broken-chain")).toMatchObject({ code: 0 });
  });
});

describe("vitrine-gateway hold, and archives", () => {
  const file = join(folder, "holds.db");
  const archive = join(folder, "archive");
  const line = { database: `sqlite:${file}`, data: join(folder, "holds") };
  const hold = (...words: string[]) => inside(holdCommand(words, {}, line));
  const audit = (...words: string[]) => inside(auditCommand(words, { ...line, archive }));
  const fill = async () => {
    const store = await openStore(`sqlite:${file}`, {});
    const call = { user: "ann", actor: "view", server: "shop", method: "tools/call" } as const;
    for (const target of ["look", "change"])
      await store.audit.begin({ ...call, target, decision: "refused", reason: "denied" });
    await store.close();
  };

  it("verifies archive files, alone and with the log that continues them", async () => {
    await fill();
    expect(await audit("prune", "0")).toMatchObject({ code: 0, out: "2 rows were removed\n" });
    await fill();
    expect(await audit("verify")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^1 archive file, rows 1 to 2, intact\n5 rows, intact; the last hash is/),
    });
    // Also while a gateway has the database.
    const owner = await openStore(`sqlite:${file}`, {});
    expect(await audit("verify")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^1 archive file, rows 1 to 2, intact\n5 rows, intact; the last hash is/),
    });
    await expect(auditCommand(["export"], line)).rejects.toThrow(/in use by/);
    await owner.close();
    const [name = ""] = readdirSync(archive);
    const path = join(archive, name);
    const right = readFileSync(path);
    const text = gunzipSync(right).toString();
    for (const [wrong, problem] of [
      [gzipSync(text.replace("look", "took")), /BROKEN at row 1: row 1, or the hash of the one before/],
      [gzipSync(text.replace(/.*change.*\n/, "")), /BROKEN at row 1: the archive file .* ends at row 1/],
      [right.subarray(0, -20), /BROKEN at row 1: the archive file .* is damaged: unexpected end of file/],
    ] as const) {
      writeFileSync(path, wrong);
      expect(await audit("verify")).toMatchObject({ code: 1, out: expect.stringMatching(problem) });
    }
    // Correct rows, but not the file that the log names.
    writeFileSync(path, gzipSync(text, { level: 1 }));
    expect(await audit("verify")).toMatchObject({ code: 1, out: expect.stringMatching(/SHA-256 differs/) });
    writeFileSync(path, right);
    // Rows were removed without an archive.
    const store = await openStore(`sqlite:${file}`, {});
    await store.audit.prune(Date.now() + 1000);
    await store.close();
    expect(await audit("verify")).toMatchObject({
      code: 1,
      out: expect.stringMatching(/rows 3 to 5 are missing/),
    });
  });

  it("adds, lists, exports and ends holds, also while a gateway has the database, which records them", async () => {
    const store = await openStore(`sqlite:${file}`, {});
    const added = await inside(
      holdCommand(["add"], { user: "ann", to: "2999-01-01", reason: "case 1" }, line),
    );
    expect(added).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^(\S+) holds everything of user ann until 2999-01-01T23:59:59.999Z\n$/),
    });
    const id = added.out.split(" ")[0] ?? "";
    const call = { user: "ann", actor: "view", server: "shop", method: "tools/call" } as const;
    await store.audit.begin({ ...call, target: "held", decision: "refused", reason: "denied" });
    await store.audit.prune(Date.now() + 1000);
    await store.holds.record();
    expect(await store.audit.query({ method: "audit/hold" })).toMatchObject([{ reason: "case 1" }]);
    expect((await hold("list")).out).toContain(`${id}  in force  everything of user ann until`);
    expect((await hold("export", id)).out).toMatch(/^\{.*"target":"held".*\}\n$/);
    expect(await hold("remove", id)).toMatchObject({ code: 0, out: `${id} has ended\n` });
    expect((await hold("list")).out).toContain(`${id}  ends now`);
    await store.holds.record();
    expect(await store.audit.query({ method: "audit/hold-end" })).toHaveLength(1);
    await store.close();
    expect((await hold("list")).out).toBe("there are no legal holds\n");
  });

  it("returns unused space of the file", async () => {
    expect(await inside(auditCommand(["vacuum"], line))).toMatchObject({
      code: 0,
      out: expect.stringContaining("rewritten"),
    });
  });
});
