// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are written like this
import { readFileSync } from "node:fs";
import type { GatewayError } from "@vitrine/wire";
import { describe, expect, it } from "vitest";
import { MODEL_LIMITS } from "./model-settings.js";
import { readSettings } from "./read.js";

const KEY = "sk-s3cret-0123456789";
const HOME = { HOME: "/home/ana" };

async function read(model: unknown, env: Record<string, string> = {}, secrets: Record<string, string> = {}) {
  const settings = await readSettings(
    { ...(model !== undefined && { model }) },
    {
      env: { ...HOME, ...env },
      secrets: async () => ({ get: async (key) => secrets[key] }),
    },
  );
  return { ...settings.model, providers: [...settings.model.providers.values()] };
}

async function problems(model: unknown, env: Record<string, string> = {}): Promise<string[]> {
  const error = await read(model, env).then(
    () => undefined,
    (reason: GatewayError) => reason,
  );
  expect(error?.data.code).toBe("config-invalid");
  expect(error?.message).not.toContain(KEY);
  return error?.data["problems"] as string[];
}

describe("model", () => {
  it("has no provider without settings and without a key in the environment", async () => {
    expect(await read(undefined)).toEqual({ use: undefined, providers: [], limits: MODEL_LIMITS });
  });

  it("lists providers whose usual variable is set, and selects none", async () => {
    const { use, providers } = await read(undefined, {
      OPENAI_API_KEY: KEY,
      GOOGLE_GENERATIVE_AI_API_KEY: "",
    });
    expect(use).toBeUndefined();
    expect(providers).toEqual([
      {
        name: "openai",
        type: "openai",
        url: "https://api.openai.com/v1",
        key: KEY,
        keyFrom: "environment",
        models: expect.arrayContaining([expect.any(String)]),
        areSuggestions: true,
      },
    ]);
  });

  it("reports what the selected model lacks, and continues without it", async () => {
    const { use, providers } = await read({ use: "anthropic/claude" });
    expect(use).toBe("anthropic/claude");
    expect(providers).toMatchObject([
      {
        name: "anthropic",
        problem: expect.stringContaining("set the environment variable ANTHROPIC_API_KEY"),
      },
    ]);
  });

  it("has defaults of conversations", async () => {
    const model = { system: "Be kind. ${NAME}", temperature: 0, titles: false };
    expect(await read(model, { NAME: "Ana" })).toMatchObject({ ...model, system: "Be kind. Ana" });
    expect(await problems({ system: "x".repeat(20_001) })).toEqual([expect.stringContaining("model.system")]);
    for (const temperature of [-1, 2.5, "1"])
      expect(await problems({ temperature })).toEqual([expect.stringContaining("model.temperature")]);
  });

  it("has exactly the configured providers", async () => {
    const model = {
      use: "local/meta/llama-4",
      providers: {
        work: {
          type: "openai",
          key: "${env:WORK_KEY}",
          models: ["gpt-x"],
          url: "https://proxy.example.com/v1/",
        },
        google: { key: "${secret:GEMINI}" },
        local: { url: "http://127.0.0.1:11434/v1" },
      },
      limits: { rounds: 5, time: "2m" },
    };
    const env = { WORK_KEY: ` ${KEY}\n`, ANTHROPIC_API_KEY: "other" };
    const { providers, limits } = await read(model, env, { "settings/GEMINI": "g3m" });
    expect(providers).toEqual([
      {
        name: "work",
        type: "openai",
        url: "https://proxy.example.com/v1",
        key: KEY,
        keyFrom: "environment",
        models: ["gpt-x"],
        isWritten: true,
      },
      {
        name: "google",
        type: "google",
        url: expect.any(String),
        key: "g3m",
        keyFrom: "store",
        secret: "GEMINI",
        models: expect.any(Array),
        areSuggestions: true,
        isWritten: true,
      },
      {
        name: "local",
        type: "compatible",
        url: "http://127.0.0.1:11434/v1",
        models: undefined,
        isWritten: true,
      },
    ]);
    expect(limits).toEqual({ ...MODEL_LIMITS, rounds: 5, time: 120_000 });
  });

  it.each([
    ["${env:MISSING}", /set the environment variable MISSING/],
    ["${MISSING}", /set the environment variable MISSING/],
    ["${secret:MISSING}", /vitrine secret set MISSING/],
    ["${env:LINES}", /check that it is a single line/],
  ])("continues without a missing key: %s", async (key, problem) => {
    const { providers } = await read({ providers: { openai: { key } } }, { LINES: "a\nb" });
    expect(providers).toMatchObject([{ problem: expect.stringMatching(problem) }]);
    expect(providers[0]?.key).toBeUndefined();
  });

  it.each([
    ["http://192.168.1.5:8080/v1", {}],
    ["http://ollama:11434/v1", { privateNetwork: true }],
    ["http://[::1]:1234/v1", {}],
    ["https://models.example.com/v1", {}],
  ])("accepts %s", async (url, more) => {
    const { providers } = await read({ providers: { local: { url, ...more } } });
    expect(providers).toMatchObject([{ url }]);
  });

  it.each<[string, unknown, RegExp]>([
    [
      "a key in the file",
      { providers: { openai: { key: KEY } } },
      /^model.providers.openai.key: must be a reference/,
    ],
    ["a key in a reference", { providers: { openai: { key: `\${X:-${KEY}}` } } }, /must be a reference/],
    ["a key that is not a string", { providers: { openai: { key: 7 } } }, /must be a reference/],
    ["no url", { providers: { local: {} } }, /^model.providers.local: has no url; add "url"/],
    [
      "an invalid address",
      { providers: { local: { url: "here" } } },
      /^model.providers.local.url: is not a web address/,
    ],
    ["plain http", { providers: { local: { url: "http://example.com/v1" } } }, /must be https/],
    ["a password", { providers: { local: { url: `https://u:${KEY}@example.com` } } }, /use "key"/],
    ["a query", { providers: { local: { url: `https://example.com/?key=${KEY}` } } }, /contains \? or #/],
    ["a type", { providers: { local: { type: "opnai", url: "https://e.com" } } }, /did you mean "openai"/],
    ["a name", { providers: { "a/b": { url: "https://e.com" } } }, /is not a valid name/],
    ["two names", { providers: { openai: {}, OpenAI: { url: "https://e.com" } } }, /differs only in case/],
    ["a model", { providers: { openai: { models: ["a b"] } } }, /models\[0\]: is not a model name/],
    ["another key", { providers: { openai: { apiKey: KEY } } }, /unknown setting/],
    ["use without a provider", { use: "gpt" }, /^model.use: names no model of these providers/],
    ["use of another", { use: "opnai/x", providers: { openai: {} } }, /did you mean "openai"/],
    ["use of one that is not offered", { use: "local/x" }, /names no model of these providers/],
    ["limits", { limits: { rounds: 0 } }, /^model.limits.rounds: must be a whole number/],
    ["limits of time", { limits: { time: "soon" } }, /must be a time/],
    ["text", "openai/gpt", /^model: must be an object/],
  ])("rejects %s", async (_, model, problem) => {
    expect(await problems(model)).toEqual([expect.stringMatching(problem)]);
  });
});

describe("docs/model.md", () => {
  const document = readFileSync(new URL("../../../../docs/model.md", import.meta.url), "utf8");

  it("has valid settings", async () => {
    const blocks = [...document.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);
    expect(blocks).toHaveLength(5);
    for (const text of blocks)
      await expect(readSettings(text, { env: HOME, file: "model.md" })).resolves.toBeDefined();
  });

  it("explains every ModelErrorCode, with the solution", () => {
    const source = readFileSync(
      new URL("../../../conversation/src/model/model-error.ts", import.meta.url),
      "utf8",
    );
    const [, union = ""] = /type ModelErrorCode =([\s\S]+?");/.exec(source) ?? [];
    const words = [...union.matchAll(/\| "([^"]+)"/g)].map(([, word]) => word);
    const documented = [...document.matchAll(/^\| `(model-[a-z-]+)` +\| \S.+ \| \S.+ \|$/gm)].map(
      ([, word]) => word,
    );
    expect(words).toHaveLength(12);
    expect(documented).toEqual(words);
  });
});
