import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelState } from "@vitrine/wire";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  answer,
  type ScriptedModel,
  say,
  startScriptedModel,
} from "../../../../testing/model/scripted-model.js";
import { KNOWN_PROVIDERS, MODEL_LIMITS } from "../../../gateway/src/config/model-settings.js";
import { modelErrorExample, modelsExample } from "./model.examples.js";
import { Models } from "./models.js";
import type { ModelProviderSettings, ModelSettings } from "./settings.js";

const KEY = "sk-s3cret-0123456789";
const OPENAI: ModelProviderSettings = {
  name: "openai",
  type: "openai",
  url: "https://api.openai.com/v1",
  key: KEY,
  models: ["gpt-a", "gpt-b"],
};
const KEYLESS: ModelProviderSettings = {
  name: "anthropic",
  type: "anthropic",
  url: "https://api.anthropic.com/v1",
  problem: "there is no key; set the environment variable ANTHROPIC_API_KEY, and restart",
  models: ["claude"],
};

let folder = "";
let server: ScriptedModel;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-models-"));
  server = await startScriptedModel([], { models: ["qwen3", "llama/small", "no name", "qwen3"] });
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const local = (more: Partial<ModelProviderSettings> = {}): ModelProviderSettings => ({
  name: "local",
  type: "compatible",
  url: server.url,
  ...more,
});
const settingsOf = (use: string | undefined, ...providers: ModelProviderSettings[]): ModelSettings => ({
  use,
  providers: new Map(providers.map((provider) => [provider.name, provider])),
  limits: MODEL_LIMITS,
});
const open = (settings: ModelSettings) => Models.open({ settings, folder });
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: { data: { code: string } }) => error.data.code,
  );

describe("Models", () => {
  it("explains how to get a model if there is none", async () => {
    const models = await open(settingsOf(undefined));
    const { help, ...state } = models.state();
    expect(state).toEqual({ models: [] });
    const variables = Object.values(KNOWN_PROVIDERS).map(({ variable }) => variable);
    for (const word of ["by hand", ...variables, "Ollama", "docs/model.md"]) expect(help).toContain(word);
    expect(models.current).toBeUndefined();
  });

  it("lists the models, and uses none until one is selected", async () => {
    const models = await open(settingsOf(undefined, OPENAI, KEYLESS));
    expect(models.state()).toEqual({
      models: [
        { id: "openai/gpt-a", label: "gpt-a (openai)" },
        { id: "openai/gpt-b", label: "gpt-b (openai)" },
        { id: "anthropic/claude", label: "claude (anthropic)", problem: KEYLESS.problem },
      ],
      help: "No model is selected: choose one, or call tools by hand.",
    });
    expect(models.current).toBeUndefined();
  });

  it("uses the model in the settings, even if no list contains it", async () => {
    const models = await open(settingsOf("openai/gpt-c", OPENAI));
    expect(models.state()).toMatchObject({ current: "openai/gpt-c", help: "" });
    expect(models.current).toMatchObject({ id: "openai/gpt-c", label: "gpt-c (openai)" });
    // The same object each time: it remembers data about its calls.
    expect(models.current).toBe(models.current);
  });

  it("explains why the model in the settings is unavailable", async () => {
    const models = await open(settingsOf("anthropic/claude", KEYLESS));
    expect(models.state().current).toBeUndefined();
    expect(models.state().help).toContain("set the environment variable ANTHROPIC_API_KEY");
    expect(models.current).toBeUndefined();
  });

  it("keeps a choice across a restart, in a private file without a key", async () => {
    const settings = settingsOf("openai/gpt-a", OPENAI);
    const models = await open(settings);
    expect((await models.choose("openai/gpt-b")).current).toBe("openai/gpt-b");
    expect((await open(settings)).state().current).toBe("openai/gpt-b");
    const file = join(folder, "model.json");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, "utf8")).not.toContain(KEY);
  });

  it("applies a choice at once, before it is on disk; and reverts it if it cannot be stored", async () => {
    const models = await open(settingsOf(undefined, OPENAI));
    await models.choose("openai/gpt-b");
    const chosen = models.choose(undefined);
    expect(models.state().current).toBeUndefined();
    await chosen;
    await models.choose("openai/gpt-b");
    await rm(folder, { recursive: true });
    await writeFile(folder, "in its place");
    await expect(models.choose(undefined)).rejects.toThrow();
    expect(models.state().current).toBe("openai/gpt-b");
  });

  it("remembers that no model is selected", async () => {
    const settings = settingsOf("openai/gpt-a", OPENAI);
    await (await open(settings)).choose(undefined);
    expect((await open(settings)).state().current).toBeUndefined();
  });

  it("uses the model in the settings again when they name another one than before", async () => {
    const models = await open(settingsOf("openai/gpt-a", OPENAI));
    await models.choose("openai/gpt-b");
    models.update(settingsOf("openai/gpt-c", OPENAI));
    expect(models.state().current).toBe("openai/gpt-c");
  });

  it("reports that the selected model no longer exists", async () => {
    const models = await open(settingsOf(undefined, OPENAI));
    await models.choose("openai/gpt-b");
    models.update(settingsOf(undefined, { ...OPENAI, models: ["gpt-a"] }));
    expect(models.state()).toMatchObject({
      help: "The model openai/gpt-b no longer exists: choose another one.",
    });
    expect(models.current).toBeUndefined();
  });

  it.each([
    ["a model that does not exist", "openai/gpt-z", "model-unknown"],
    ["a provider alone", "openai", "model-unknown"],
    ["another provider's", "constructor/x", "model-unknown"],
    ["a model without a key", "anthropic/claude", "model-unauthorized"],
  ])("rejects %s", async (_, id, code) => {
    const models = await open(settingsOf("openai/gpt-a", OPENAI, KEYLESS));
    expect(await codeOf(models.choose(id))).toBe(code);
    expect(models.state().current).toBe("openai/gpt-a");
  });

  it.each(["", "{", "[]", '{"model":7}', '{"model":"openai/gpt-b"}'])(
    "ignores a stored choice that is %j",
    async (text) => {
      await writeFile(join(folder, "model.json"), text, { mode: 0o600 });
      expect((await open(settingsOf("openai/gpt-a", OPENAI))).state().current).toBe("openai/gpt-a");
    },
  );

  it("reports each change once", async () => {
    const models = await open(settingsOf(undefined, OPENAI));
    const heard: ModelState[] = [];
    const stop = models.onchange((state) => heard.push(state));
    await models.choose("openai/gpt-a");
    await models.choose("openai/gpt-a");
    models.update(settingsOf(undefined, OPENAI, KEYLESS));
    models.update(settingsOf(undefined, OPENAI, KEYLESS));
    stop();
    await models.choose(undefined);
    expect(heard.map(({ current, models: all }) => [current, all.length])).toEqual([
      ["openai/gpt-a", 2],
      ["openai/gpt-a", 3],
    ]);
    expect(JSON.stringify(heard)).not.toContain(KEY);
  });

  it("applies another key from new settings at once", async () => {
    server.add(say("one"), say("two"));
    const models = await open(settingsOf("local/qwen3", local({ key: "first-key" })));
    const ask = async () => {
      const request = { messages: [], tools: [] };
      for await (const _ of models.current?.stream(request, new AbortController().signal) ?? []);
    };
    await ask();
    models.update(settingsOf("local/qwen3", local({ key: "second-key" })));
    await ask();
    expect(server.requests.map(({ headers }) => headers["authorization"])).toEqual([
      "Bearer first-key",
      "Bearer second-key",
    ]);
  });
});

describe("a provider whose models are requested", () => {
  it("is asked on demand, and then its models can be selected", async () => {
    const models = await open(settingsOf(undefined, local({ key: KEY })));
    expect(models.list()).toEqual([]);
    await Promise.all([models.refresh(), models.refresh()]);
    expect(models.list().map(({ id }) => id)).toEqual(["local/llama/small", "local/qwen3"]);
    expect(server.lists.map(({ authorization }) => authorization)).toEqual([`Bearer ${KEY}`]);
    expect((await models.choose("local/llama/small")).current).toBe("local/llama/small");
    expect(models.current?.label).toBe("llama/small (local)");
  });

  it("is asked when an unlisted model is selected, and the choice is kept without the list", async () => {
    const settings = settingsOf(undefined, local());
    expect((await (await open(settings)).choose("local/qwen3")).current).toBe("local/qwen3");
    const again = await open(settings);
    expect(again.state().current).toBe("local/qwen3");
    expect(server.lists).toHaveLength(1);
  });

  it("is not asked if the settings list its models", async () => {
    const models = await open(settingsOf(undefined, local({ models: ["mine"] })));
    await models.refresh();
    expect(models.list()).toEqual([{ id: "local/mine", label: "mine (local)" }]);
    expect(server.lists).toHaveLength(0);
  });

  it("is shown with the reason if it cannot be reached, and recovers", async () => {
    const away = await startScriptedModel();
    await away.close();
    const models = await open(settingsOf(undefined, local({ url: away.url, key: KEY })));
    await models.refresh();
    const [shown] = models.list();
    expect(shown).toMatchObject({
      id: "local",
      problem: expect.stringContaining("check that it is running"),
    });
    expect(shown?.problem).not.toContain(KEY);
    expect(models.state().help).toContain("by hand");
    expect(await codeOf(models.choose("local"))).toBe("model-unknown");
    models.update(settingsOf(undefined, local()));
    await models.refresh();
    expect(models.list()).toHaveLength(2);
  });

  it("can be used while it cannot be listed: a selected model stays selected", async () => {
    const away = await startScriptedModel();
    await away.close();
    const models = await open(settingsOf("local/qwen3", local({ url: away.url })));
    await models.refresh();
    expect(models.state()).toMatchObject({
      current: "local/qwen3",
      models: [{ id: "local/qwen3" }, { id: "local" }],
    });
    expect(models.current?.id).toBe("local/qwen3");
  });
});

it("has examples that run", async () => {
  server.add(answer(429, {}, { "retry-after": "2" }));
  const said: string[] = [];
  const model = await modelsExample(settingsOf(undefined, local()), folder, (text) => said.push(text));
  if (model)
    await modelErrorExample(model, { messages: [], tools: [] }, AbortSignal.timeout(60_000), (text) =>
      said.push(text),
    );
  expect(said).toEqual([
    "No model is selected: choose one, or call tools by hand.",
    "local/llama/small",
    expect.stringContaining("wait 2 seconds"),
    "Again in 2000 ms.",
  ]);
});
