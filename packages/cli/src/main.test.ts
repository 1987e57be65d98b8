/** The command as users and scripts run it: its output and exit codes. */
import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { VERSION } from "./version.js";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const MAIN = at("../dist/main.js");
const BAD = `node ${at("../../../testing/cli/bad-server.mjs")}`;

const folder = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-main-")));
const page = join(folder, "page");
mkdirSync(page);
writeFileSync(join(page, "index.html"), "<!doctype html><title>Page</title>");
const env = { PATH: process.env["PATH"], HOME: folder };

/** Makes the command fail on a signal, uncaught. */
const hook = join(folder, "hook.mjs");
writeFileSync(hook, 'process.on("SIGUSR2", () => void Promise.reject(new Error("a bug")));');
const FAULTY = { NODE_OPTIONS: `--import ${hook}` };

/** Records at the end whether HTTP was loaded: the gateway needs it, and is the largest part. */
const notes = join(folder, "notes.mjs");
writeFileSync(
  notes,
  `import { writeFileSync } from "node:fs";
  const didLoad = () => process.moduleLoadList.includes("NativeModule http");
  process.on("exit", () => writeFileSync(process.env["NOTED"], String(didLoad())));`,
);
const noted = (file: string) => ({ NODE_OPTIONS: `--import ${notes}`, NOTED: join(folder, file) });

const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the command. */
function start(words: readonly string[], more: Record<string, string> = {}) {
  const child = spawn(process.execPath, [MAIN, ...words], { env: { ...env, ...more }, cwd: folder });
  children.add(child);
  const said = { out: "", err: "" };
  child.stdout.on("data", (data) => {
    said.out += data;
  });
  child.stderr.on("data", (data) => {
    said.err += data;
  });
  const code = new Promise<number | null>((resolve) => {
    child.once("close", (exit) => {
      children.delete(child);
      resolve(exit);
    });
  });
  return { child, said, code };
}

async function run(words: readonly string[], input?: string, more: Record<string, string> = {}) {
  const { child, said, code } = start(words, more);
  child.stdin.end(input);
  return { code: await code, ...said };
}

/** The parsed stdout, if it is exactly one JSON value. */
const json = ({ out }: { out: string }): Record<string, unknown> => JSON.parse(out);

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** The process id that a server wrote. */
async function pidIn(file: string): Promise<number> {
  await expect.poll(() => existsSync(file) && readFileSync(file, "utf8")).toMatch(/^\d+$/);
  return Number(readFileSync(file, "utf8"));
}

describe("vitrine", () => {
  it("has help with examples for every command, and a version", async () => {
    const [whole, version, ...each] = await Promise.all(
      [
        ["--help"],
        ["--version"],
        ...["dev", "serve", "render", "tools", "resources", "call"].map((name) => [name, "--help"]),
      ].map((words) => run(words)),
    );
    expect(version).toEqual({ code: 0, out: `${VERSION}\n`, err: "" });
    expect(whole?.out).toContain("Exit codes: 0");
    for (const help of each) {
      expect(help).toMatchObject({ code: 0, err: "" });
      expect(help.out).toContain("Examples:");
      expect(help.out).toContain("--json");
    }
  });

  it("stores secrets for the settings, and deletes them", async () => {
    const data = join(folder, "kept");
    const words = ["ROUTER_KEY", "--data", data];
    expect(await run(["secret", "set", ...words], "sesame\n")).toEqual({
      code: 0,
      out: "ROUTER_KEY saved\n",
      err: "",
    });
    for (const file of readdirSync(data))
      expect(readFileSync(join(data, file), "utf8")).not.toContain("sesame");
    expect(await run(["secret", "delete", ...words])).toMatchObject({
      code: 0,
      out: "ROUTER_KEY was deleted\n",
    });
    expect(await run(["secret", "delete", ...words])).toMatchObject({ code: 1 });
    // A server problem in the file does not concern this command.
    const config = join(folder, "others.json");
    writeFileSync(
      config,
      JSON.stringify({ mcpServers: { a: { command: "a", args: ["$" + "{UNSET_ANYWHERE}"] } } }),
    );
    expect(await run(["secret", "set", ...words, "--config", config], "sesame")).toMatchObject({ code: 0 });
    expect(await run(["secret", "set", "no name", "--data", data], "x")).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("use set NAME"),
    });
  });

  it("says that there is no such profile before it starts a server", async () => {
    const [script, started] = [join(folder, "started.mjs"), join(folder, "started")];
    writeFileSync(
      script,
      `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(started)}, "");`,
    );
    const words = ["render", `node ${script}`, "--tool", "x", "--profile", "nope"];
    const { code, out, err } = await run(words);
    expect(out + err).toContain("--profile nope: there is no such profile; there are strict");
    expect(code).toBe(2);
    expect(existsSync(started)).toBe(false);
  });

  it.each<[string[], string]>([
    [["tols", "x"], "did you mean vitrine tools x?"],
    [["./server", "--no-open"], "did you mean vitrine dev ./server --no-open?"],
    [["npx -y server"], "did you mean vitrine dev 'npx -y server'?"],
    [["tools", "x", "--jsn"], "Did you mean --json?"],
    [["tools"], "missing required argument 'server'"],
    [["tools", "x", "--timeout", "soon"], "30s"],
    [["dev", "--port", "many"], "0 to 65535"],
    [["--port", "99999"], "0 to 65535"],
    [["secret", "keep", "NAME"], "use set, delete or rotate"],
  ])("%j is invalid: one line, code 2", async (words, sentence) => {
    const { code, out, err } = await run(words);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(sentence);
    expect(err.trim()).not.toContain("\n");
  });

  it("reports errors as JSON with --json", async () => {
    const words = [
      ["tools"],
      ["tools", "x", "--jsn"],
      ["resources", "x", "y", "z"],
      ["call", "x"],
      ["call", "x", "y", "--timeout", "soon"],
      ["dev", "--port", "many"],
      ["serve", "--port"],
      ["--port", "99999"],
    ];
    const wrong = await Promise.all(words.map((each) => run([...each, "--json"])));
    for (const [index, each] of wrong.entries()) {
      expect({ ...each, out: json(each) }, words[index]?.join(" ")).toEqual({
        code: 2,
        out: { error: { code: "usage", message: expect.any(String) } },
        err: "",
      });
    }
    const failed = await run(["call", `${BAD} exits`, "echo", "--json"]);
    expect(failed.code).toBe(1);
    expect(json(failed)).toEqual({
      error: {
        code: "server-failed",
        message: expect.stringContaining("ended with code 3"),
        stderr: "no API key: set API_KEY\n",
      },
    });
  });
});

describe("vitrine render", () => {
  const schema = JSON.parse(readFileSync(at("../render.schema.json"), "utf8"));
  const isValid = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false }).compile(schema);

  it.each<[string[]]>([
    [[]],
    [["x", "--tol", "y"]],
    [["x", "--tool"]],
    [["x", "--timeout", "soon"]],
    [["x", "y", "--tool", "z"]],
    [["x", "--tool", "y", "--theme", "blue"]],
  ])("%j is invalid: with --json one object of its own format, code 2", async (words) => {
    const at = noted("wrong");
    const wrong = await run(["render", "--json", ...words], undefined, at);
    // Answered at once, without loading the renderer.
    expect(readFileSync(at.NOTED, "utf8")).toBe("false");
    expect({ code: wrong.code, err: wrong.err }).toEqual({ code: 2, err: "" });
    expect(isValid(json(wrong)), JSON.stringify(isValid.errors)).toBe(true);
    expect(json(wrong)).toMatchObject({
      ok: false,
      cause: { code: "usage", message: expect.any(String), fix: "See vitrine render --help." },
    });
  });
});

describe("arguments that are no JSON", () => {
  it("are a usage error, with --json too: code 2, before any server is looked up", async () => {
    const at = noted("no-json");
    const ends = await Promise.all([
      run(["call", "nobody", "echo", "--args", "{"]),
      run(["call", "nobody", "echo", "--args", "{", "--json"]),
      run(["render", "nobody", "--tool", "echo", "--args", "{", "--json"], undefined, at),
    ]);
    const [plain, called, rendered] = ends;
    // The gateway reads these settings.
    expect(readFileSync(at.NOTED, "utf8")).toBe("true");
    expect(ends.map(({ code }) => code)).toEqual([2, 2, 2]);
    expect(plain.err).toContain("--args is not JSON");
    expect(json(called)).toMatchObject({ error: { code: "arguments-invalid" } });
    expect(json(rendered)).toMatchObject({ ok: false, cause: { code: "arguments-invalid" } });
  });
});

describe("vitrine call", () => {
  it("prints a tool's text to stdout, and its failure to stderr with code 1", async () => {
    const [said, failed] = await Promise.all([
      run(["call", BAD, "echo", "--args", "-"], '{"text": "from stdin"}'),
      run(["call", BAD, "fail"]),
    ]);
    expect(said).toMatchObject({ code: 0, out: '{"text":"from stdin"}\n' });
    expect(failed).toMatchObject({ code: 1, out: "", err: expect.stringMatching(/the city is unknown\n$/) });
  });

  it("is interrupted by Ctrl-C: the call is cancelled, nothing is left, code 130", async () => {
    const file = join(folder, "asleep");
    const { child, code, said } = start(["call", `${BAD} well ${file}`, "sleep"]);
    const pid = await pidIn(file);
    await expect.poll(() => said.err).toContain("asleep");
    child.kill("SIGINT");
    expect(await code).toBe(130);
    expect(existsSync(`${file}.cancelled`)).toBe(true);
    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});

describe("vitrine dev", () => {
  it("serves the page, restarts changed servers, and ends them all on Ctrl-C", async () => {
    const script = join(folder, "own", "shop.mjs");
    mkdirSync(join(folder, "own"));
    const source = readFileSync(BAD.slice("node ".length), "utf8");
    writeFileSync(script, source);
    const file = join(folder, "shop.pid");
    const words = [`node own/shop.mjs well ${file}`, "--static", page, "--port", "0"];
    const { child, said, code } = start(["dev", ...words, "--data", join(folder, "data")]);
    const first = await pidIn(file);
    await expect.poll(() => said.out).toMatch(/Vitrine → (http\S+)\n/);
    const link = /→ (http\S+)/.exec(said.out)?.[1] ?? "";
    const signedIn = await fetch(link, { redirect: "manual" });
    const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
    const shown = await fetch(new URL("/", link), { headers: { cookie } });
    expect(await shown.text()).toContain("<title>Page</title>");
    writeFileSync(script, `${source}\n`);
    await expect.poll(() => readFileSync(file, "utf8")).not.toBe(`${first}`);
    expect(said.err).toContain("own/shop.mjs changed");
    const second = await pidIn(file);
    child.kill("SIGINT");
    expect(await code).toBe(0);
    await expect.poll(() => [first, second].some(isRunning)).toBe(false);
  });

  it("shows once why a server does not start, with its stderr, however often it is retried", async () => {
    const file = join(folder, "failing.pid");
    const words = ["--static", page, "--port", "0", "--data", join(folder, "failing")];
    const { child, said, code } = start(["dev", `${BAD} exits ${file}`, ...words]);
    const seen = new Set<number>();
    // The third start comes after the second failure.
    await expect.poll(async () => seen.add(await pidIn(file)).size, { timeout: 20_000 }).toBe(3);
    child.kill("SIGINT");
    expect(await code).toBe(0);
    expect(said.err.match(/ended with code 3/g)).toHaveLength(1);
    expect(said.err.match(/│ no API key: set API_KEY/g)).toHaveLength(1);
    for (const pid of seen) expect(isRunning(pid)).toBe(false);
  });

  it("prints one JSON object; exits at once on the second Ctrl-C, with its servers", async () => {
    const file = join(folder, "stubborn.pid");
    const words = ["--static", page, "--port", "0", "--data", join(folder, "stubborn"), "--json"];
    const { child, said, code } = start(["dev", `${BAD} stubborn ${file}`, ...words]);
    const pid = await pidIn(file);
    await expect.poll(() => said.out).toContain("}");
    expect(json(said)).toEqual({
      url: expect.stringContaining("/login?code="),
      origin: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      servers: ["bad-server"],
    });
    child.kill("SIGINT");
    await expect.poll(() => said.err).toContain("stopping");
    child.kill("SIGINT");
    expect(await code).toBe(130);
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "under npm start, exits with %s, with its servers",
    async (signal) => {
      const project = join(folder, `npm-${signal}`);
      const [file, own] = [join(project, "server.pid"), join(project, "own.pid")];
      mkdirSync(project);
      const words = ["--static", page, "--port", "0", "--data", join(project, "data")].join(" ");
      // As in a project of `vitrine new`.
      const start = `node --import ${join(project, "own.mjs")} ${MAIN} dev . ${words}`;
      writeFileSync(
        join(project, "own.mjs"),
        `import { writeFileSync } from "node:fs"; if (process.argv.includes("dev")) writeFileSync(${JSON.stringify(own)}, String(process.pid));`,
      );
      writeFileSync(
        join(project, "package.json"),
        JSON.stringify({ name: "x", mcp: `${BAD} well ${file}`, scripts: { start } }),
      );
      const npm = spawn("npm", ["start"], { cwd: project, env, stdio: "ignore", detached: true });
      children.add(npm);
      const pids = [await pidIn(file), await pidIn(own)];
      // Ctrl-C reaches everything that the terminal has started; the other signals reach only npm.
      process.kill(signal === "SIGINT" ? -Number(npm.pid) : Number(npm.pid), signal);
      for (const pid of pids) await expect.poll(() => isRunning(pid), { timeout: 15_000 }).toBe(false);
    },
  );

  it("npm start of the repository is one command: a shell would keep signals from the second", () => {
    const { scripts } = JSON.parse(readFileSync(at("../../../package.json"), "utf8"));
    expect(scripts.start).toMatch(/^node [\w./]+$/);
  });

  it("shuts down in order after an unexpected internal error, with code 1 and the stack", async () => {
    const file = join(folder, "fault.pid");
    const words = ["--static", page, "--port", "0", "--data", join(folder, "fault")];
    const { child, said, code } = start(["dev", `${BAD} well ${file}`, ...words], FAULTY);
    const pid = await pidIn(file);
    await expect.poll(() => said.out).toContain("Vitrine →");
    child.kill("SIGUSR2");
    expect(await code).toBe(1);
    expect(said.err).toMatch(/unexpected error: the gateway stops: a bug\n[\s\S]*hook\.mjs[\s\S]*stopping/);
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it("reports that the requested port is in use", async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, "127.0.0.1", () => resolve(Number(Object(taken.address()).port)));
    });
    const busy = await run(["dev", BAD, "--static", page, "--port", `${port}`]);
    taken.close();
    expect(busy).toMatchObject({ code: 1, out: "", err: expect.stringContaining(`port ${port} is in use`) });
  });
});

describe("vitrine serve", () => {
  it("serves the page to the users of its file, and ends with code 0", async () => {
    const file = join(folder, "serve.json");
    const users = [{ name: "ana", token: "$" + "{TOKEN}" }];
    writeFileSync(file, JSON.stringify({ users, mcpServers: {}, sandbox: { port: 0 } }));
    const words = [
      "serve",
      "--config",
      file,
      "--static",
      page,
      "--port",
      "0",
      "--data",
      join(folder, "served"),
    ];
    const token = "t".repeat(32);
    const { child, said, code } = start([...words, "--json"], { TOKEN: token });
    await expect.poll(() => said.out).toContain("}");
    const { origin, url } = json(said);
    expect(url).toBe(origin);
    const answer = await fetch(`${origin}/api/servers`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
    child.kill("SIGTERM");
    expect(await code).toBe(0);

    const faulty = start(words, { TOKEN: token, ...FAULTY });
    await expect.poll(() => faulty.said.out).toContain("Vitrine →");
    faulty.child.kill("SIGUSR2");
    expect(await faulty.code).toBe(1);
    expect(faulty.said.err).toContain("unexpected error");
  });
});
