/** Runs of cases with a scripted model over the real wire, a real gateway and real servers. None of these shows an app. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { demo, EvalStage } from "../../../../testing/cli/eval-stage.js";
import {
  answer,
  callTool,
  type ModelSaw,
  rateLimited,
  type Script,
  say,
  startScriptedModel,
  usage,
  waitFor,
} from "../../../../testing/model/scripted-model.js";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const BOARD = { board: demo("board") };
/** Nothing here needs a browser. */
const NO_BROWSER = { newContext: () => Promise.reject(new Error("no browser")) } as unknown as Browser;

let stage: EvalStage;
/** The answers of the model, by its request. */
let script: (saw: ModelSaw) => Script;

/** The last sentence of the user. */
const said = ({ body }: ModelSaw): string =>
  JSON.stringify(body.messages.findLast(({ role }) => role === "user"));
const hasResult = ({ body }: ModelSaw): boolean => body.messages.at(-1)?.role === "tool";
const resultOf = ({ body }: ModelSaw): string => `${body.messages.at(-1)?.content}`;

/** Calls a tool, then says something. */
const callThen =
  (tool: string, input: Record<string, unknown>, then: Script = say("Done.")) =>
  (saw: ModelSaw): Script =>
    hasResult(saw) ? [then, usage(100, 10)] : [...callTool(tool, input), usage(50, 5)];

beforeAll(async () => {
  stage = await EvalStage.open((saw) => script(saw), { browser: NO_BROWSER });
});
beforeEach(() => stage.settings({}));
afterAll(() => stage?.close());

const ROME = `
models: scripted/priced
cases:
  - name: Rome
    say: How is the weather in Rome?
    expect: { calls: { tool: weather/forecast, arguments: { city: Rome } }, answer: sunny }
`;

it("reports rates, tokens and costs of each case and model, and keeps runs apart", async () => {
  let requests = 0;
  // Every other run calls the wrong city.
  script = (saw) => {
    const city = Math.floor(requests++ / 2) % 2 === 0 ? "Rome" : "Oslo";
    return callThen("weather__forecast", { city }, say("It is sunny."))(saw);
  };
  const two = ROME.replace("scripted/priced", "[scripted/priced, scripted/unpriced]");
  const { code, report } = await stage.run(two, { runs: 2, minRate: 0.5 });
  expect(report).toMatchObject({ ok: false, passed: 2, failed: 2, errors: 0, minRate: 0.5 });
  const [priced, unpriced] = report.results;
  // In order: each case once with each model, then again.
  expect(priced).toMatchObject({ model: "scripted/priced", passed: 2, failed: 0, rate: 1, ok: true });
  expect(priced?.usage).toEqual({ input: 300, output: 30, cost: expect.closeTo(0.00036, 8) });
  expect(unpriced).toMatchObject({ model: "scripted/unpriced", passed: 0, failed: 2, rate: 0, ok: false });
  expect(unpriced?.usage).toEqual({ input: 300, output: 30 });
  expect(unpriced?.runs[0]).toMatchObject({
    outcome: "failed",
    reasons: ['weather/forecast was called with other arguments: city is "Oslo", not "Rome"'],
    calls: [{ server: "weather", tool: "forecast", input: { city: "Oslo" }, state: "done" }],
    answer: "It is sunny.",
  });
  expect(code).toBe(1);
});

it("prints a table in which an unknown cost is no zero, and each failure on a line", async () => {
  script = callThen("weather__forecast", { city: "Oslo" }, say("Sunny, I guess."));
  const { code, out } = await stage.print(ROME.replace("priced", "unpriced"));
  expect(code).toBe(1);
  const lines = out.split("\n");
  expect(lines[0]).toMatch(/case +model +as expected +errors +tokens in \/ out +cost +mean time/);
  expect(lines[1]).toMatch(/^✗ {2}Rome +scripted\/unpriced +0\/1 0 % +0 +150 \/ 15 +unknown +\d/);
  expect(out).toContain(
    '✗ Rome · scripted/unpriced · run 1: weather/forecast was called with other arguments: city is "Oslo", not "Rome"',
  );
  expect(out).toContain("--recordings FOLDER");
  expect(out).not.toContain("$0");
});

it("several sentences are one conversation, and each may have its own expectations", async () => {
  script = (saw) => {
    if (said(saw).includes("Rome")) return callThen("weather__forecast", { city: "Rome" })(saw);
    return [say(`I have seen ${saw.body.messages.length} messages.`), usage(1, 1)];
  };
  const { code, report } = await stage.run(`
models: scripted/priced
cases:
  - name: two
    turns:
      - say: How is the weather in Rome?
        expect: { calls: weather/forecast }
      - say: And now?
        expect: { no-calls: "*", answer: "seen 6 messages" }
    expect: { at-most: { calls: 1 }, answer: done }
  - name: turned round
    turns:
      - say: And now?
        expect: { calls: weather/forecast }
      - say: How is the weather in Rome?
        expect: { no-calls: "*" }
`);
  expect(code).toBe(1);
  expect(report.results[0]?.runs[0]).toMatchObject({ outcome: "passed", reasons: [] });
  expect(report.results[1]?.runs[0]?.reasons).toEqual([
    "turn 1: weather/forecast was not called; no tool was called",
    'turn 2: weather/forecast {"city":"Rome"} was called, and no-calls forbids it',
  ]);
});

it("denies what would be asked, unless the file allows it, and says how to allow it", async () => {
  const results: string[] = [];
  script = (saw) => {
    if (hasResult(saw)) results.push(resultOf(saw));
    return callThen("board__add_card", { title: "Pack" })(saw);
  };
  await stage.settings({}, BOARD);
  const file = `
models: scripted/priced
cases: [{ name: add, say: Add Pack, expect: { calls: board/add_card } }]
`;
  const denied = await stage.run(file);
  // The model has chosen as expected, whatever became of the call.
  expect(denied.code).toBe(0);
  expect(denied.report.results[0]?.runs[0]).toMatchObject({
    calls: [{ tool: "add_card", state: "failed" }],
    denied: [{ what: "board/add_card", allow: "board/add_card" }],
  });
  expect(results.pop()).toMatch(/declined/);
  expect((await stage.print(file)).out).toContain(
    'denied: board/add_card; to allow it, write "board/add_card"',
  );
  for (const rule of ["board/delete_card", '"weather/*"', "ui/message"]) {
    const other = await stage.run(`allow: ${rule}\n${file}`);
    expect(other.report.results[0]?.runs[0]?.calls[0]?.state).toBe("failed");
  }

  for (const rule of ["board/add_card", '"board/*"']) {
    const allowed = await stage.run(`allow: ${rule}\n${file}`);
    expect(allowed.report.results[0]?.runs[0]).toMatchObject({ calls: [{ state: "done" }], denied: [] });
    expect(results.pop()).toContain("Added card");
  }
  // The settings have the last word.
  await stage.settings({ policy: { "tools/call:add_card": "deny" } }, BOARD);
  const refused = await stage.run(`allow: board/add_card\n${file}`);
  expect(refused.report.results[0]?.runs[0]?.calls[0]?.state).toBe("failed");
});

it("each run has servers of its own: none sees the cards of another", async () => {
  await stage.settings({}, BOARD);
  const seen: string[] = [];
  script = (saw) => {
    if (said(saw).includes("Show")) {
      if (!hasResult(saw)) return callTool("board__export_board", {});
      seen.push(resultOf(saw));
      return say("Shown.");
    }
    return callThen("board__add_card", { title: "Pack the tent" })(saw);
  };
  const { code } = await stage.run(
    `
models: scripted/priced
allow: board/add_card
cases:
  - name: add
    turns: [Add it, Show it]
    expect: { calls: [board/add_card, board/export_board], in-order: true }
`,
    { runs: 3, concurrency: 2 },
  );
  expect(code).toBe(0);
  expect(seen).toHaveLength(3);
  for (const board of seen) expect(board.match(/Pack the tent/g)).toHaveLength(1);
});

it.each<[string, Script, string]>([
  ["a rate limit", rateLimited(60), "model-rate-limited"],
  ["a fault of the provider", answer(500, undefined, { "retry-after": "60" }), "model-failed"],
  ["a wrong key", answer(401), "model-unauthorized"],
  ["an answer that breaks off", [say("It is"), { do: "drop" }], "model-cut-off"],
])("%s is an error, and no failed expectation", async (_what, failing, code) => {
  script = () => failing;
  const { code: exit, report } = await stage.run(ROME, { runs: 1 });
  expect(exit).toBe(1);
  expect(report).toMatchObject({ ok: false, passed: 0, failed: 0, errors: 1 });
  const [cell] = report.results;
  expect(cell).not.toHaveProperty("rate");
  expect(cell?.runs[0]).toMatchObject({ outcome: "error", reasons: [], error: { code } });
});

it("runs that could not be judged do not count for the rate, and are reported beside it", async () => {
  let runs = 0;
  script = (saw) => {
    if (!hasResult(saw)) runs++;
    return runs === 2 ? rateLimited(60) : callThen("weather__forecast", { city: "Rome" }, say("sunny"))(saw);
  };
  const { code, report } = await stage.run(ROME, { runs: 3 });
  expect(report.results[0]).toMatchObject({ passed: 2, failed: 0, errors: 1, rate: 1, ok: false });
  expect(code).toBe(1);
});

it("a provider that cannot be reached, a model that does not exist, and a key that is missing are errors", async () => {
  const gone = await startScriptedModel();
  await gone.close();
  await stage.settings({
    model: {
      providers: {
        gone: { url: gone.url, models: ["m"] },
        openai: { key: "$" + "{env:VITRINE_NO_SUCH_KEY}", models: ["gpt-5.4-mini"] },
      },
    },
  });
  const models = ["gone/m", "nowhere/m", "openai/gpt-5.4-mini"];
  const { code, report } = await stage.run(ROME, { model: models });
  expect(code).toBe(1);
  expect(report.results.map(({ runs }) => runs[0]?.error?.code)).toEqual([
    "model-unreachable",
    "model-unknown",
    "model-unauthorized",
  ]);
});

it("a known provider without a key ends the command before the first run, and names the variable", async () => {
  const before = stage.model.requests.length;
  script = () => say("sunny");
  const models = ["scripted/priced", "anthropic/claude-sonnet-5", "openai/gpt-5.4-mini"];
  await expect(stage.run(ROME, { model: models })).rejects.toMatchObject({
    code: "model-key-missing",
    message:
      "there is no key for openai and anthropic: set OPENAI_API_KEY to a key of openai and set ANTHROPIC_API_KEY to a key of anthropic, or choose other models with --model",
  });
  expect(stage.model.requests).toHaveLength(before);
});

it("a browser that fails is an error, and no failed expectation", async () => {
  script = callThen("weather__forecast", { city: "Rome" });
  const { report } = await stage.run(ROME.replace("answer: sunny", "app: Rome"));
  expect(report.results[0]?.runs[0]).toMatchObject({
    outcome: "error",
    error: { code: "browser-failed", message: "the browser failed: no browser" },
    calls: [{ tool: "forecast" }],
  });
});

it("a server that does not start is an error, with the reason", async () => {
  script = () => say("sunny");
  await stage.settings({}, { broken: { command: process.execPath, args: ["-e", "process.exit(3)"] } });
  const { report } = await stage.run(ROME);
  expect(report.results[0]?.runs[0]?.error).toMatchObject({ code: "server-failed" });
});

it("a case that takes too long is an error; its conversation is recorded up to there", async () => {
  script = () => [say("Let me think"), waitFor(new Promise(() => {}))];
  const recordings = join(stage.folder, "late");
  const { report } = await stage.run(ROME.replace("- name", "- timeout: 4s\n    name"), { recordings });
  const [run] = report.results[0]?.runs ?? [];
  expect(run).toMatchObject({ outcome: "error", error: { code: "timeout" } });
  expect(run?.error?.message).toContain("4 s");
  expect(await readFile(run?.recording ?? "", "utf8")).toContain("Let me think");
});

it("--only and --model choose, and name what there is if nothing fits", async () => {
  script = () => [say("sunny"), usage(1, 1)];
  const file = `
models: [scripted/priced]
cases:
  - { name: Rome today, say: x, expect: { answer: sunny } }
  - { name: Oslo today, say: x, expect: { answer: sunny } }
`;
  const { report } = await stage.run(file, { only: ["rome*"], model: ["scripted/unpriced"] });
  expect(report.results.map((each) => [each.case, each.model])).toEqual([
    ["Rome today", "scripted/unpriced"],
  ]);
  await expect(stage.run(file, { only: ["Paris"] })).rejects.toMatchObject({
    code: "usage",
    message: "--only Paris: there is no such case; there are Rome today, Oslo today",
  });
  await expect(stage.run(file.replace("models: [scripted/priced]", ""))).rejects.toMatchObject({
    code: "models-missing",
  });
  await stage.settings({
    model: { use: "scripted/priced", providers: { scripted: { url: stage.model.url } } },
  });
  const usual = await stage.run(file.replace("models: [scripted/priced]", ""), { only: ["Oslo today"] });
  expect(usual.report.results[0]).toMatchObject({ model: "scripted/priced", ok: true });
});

it("Ctrl-C ends the command with its programs, and writes the partial results", async () => {
  let isWaiting = (): void => {};
  const waiting = new Promise<void>((resolve) => {
    isWaiting = resolve;
  });
  let requests = 0;
  script = () => {
    if (++requests === 1) return [say("sunny"), usage(1, 1)];
    isWaiting();
    return [say("Let me"), waitFor(new Promise(() => {}))];
  };
  const file = await stage.file(`
models: scripted/priced
cases:
  - { name: first, say: x, expect: { answer: sunny } }
  - { name: second, say: x, expect: { answer: sunny } }
  - { name: third, say: x, expect: { answer: sunny } }
`);
  const junit = join(stage.folder, "partial.xml");
  const left = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith("vitrine-eval-"));
  const before = new Set(left());
  const pidFile = join(stage.folder, "pid");
  const wrapper = `require("node:fs").writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); import(${JSON.stringify(
    fileURLToPath(new URL("../../dist/demos/weather.js", import.meta.url)),
  )})`;
  await stage.settings({}, { weather: { command: process.execPath, args: ["-e", wrapper] } });
  const child = spawn(
    process.execPath,
    [MAIN, "eval", file, "--config", stage.config, "--json", "--junit", junit],
    {
      env: { PATH: process.env["PATH"], HOME: stage.folder },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let out = "";
  child.stdout.on("data", (data) => {
    out += data;
  });
  await waiting;
  const pid = Number(await readFile(pidFile, "utf8"));
  expect(process.kill(pid, 0)).toBe(true);
  child.kill("SIGINT");
  const [code] = await once(child, "exit");
  expect(code).toBe(130);
  expect(JSON.parse(out)).toMatchObject({
    ok: false,
    interrupted: true,
    passed: 1,
    missing: 2,
    results: [
      { case: "first", ok: true },
      { case: "second", missing: 1 },
      { case: "third", missing: 1 },
    ],
  });
  expect(await readFile(junit, "utf8")).toContain("<skipped");
  await expect.poll(() => isRunning(pid)).toBe(false);
  expect(left().filter((name) => !before.has(name))).toEqual([]);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it("recordings of cases whose names make the same file name do not replace each other", async () => {
  script = () => [say("sunny"), usage(1, 1)];
  const recordings = join(stage.folder, "names");
  const { report } = await stage.run(
    `
models: scripted/priced
cases:
  - { name: "../a b", say: x, expect: { answer: sunny } }
  - { name: "../a/b", say: x, expect: { answer: sunny } }
`,
    { recordings },
  );
  const files = report.results.map(({ runs }) => runs[0]?.recording);
  expect(new Set(files).size).toBe(2);
  expect((await readdir(recordings)).toSorted()).toEqual([
    "a-b.scripted-priced-2.1.vitrine.jsonl",
    "a-b.scripted-priced.1.vitrine.jsonl",
  ]);
});
