import { aiModel } from "./ai-model.js";
import { detectLocalServers, isModelServer } from "./local-servers.js";
import type { Model, ModelRequest } from "./model.js";
import { ModelError } from "./model-error.js";
import { Models } from "./models.js";
import type { ModelSettings } from "./settings.js";

export async function aiModelExample(signal: AbortSignal, show: (text: string) => void) {
  //#region aiModel
  const model = aiModel(
    { name: "local", type: "compatible", url: "http://127.0.0.1:11434/v1" }, // Ollama
    "qwen3",
  );
  const messages = [{ role: "user", content: [{ type: "text", text: "Hello" }] }] as const;
  for await (const delta of model.stream({ messages, tools: [] }, signal)) {
    if (delta.kind === "text") show(delta.text);
  }
  //#endregion aiModel
  return model;
}

export async function modelErrorExample(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
  show: (text: string) => void,
) {
  //#region modelError
  try {
    for await (const delta of model.stream(request, signal)) if (delta.kind === "text") show(delta.text);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    // error.data.code has a fixed meaning, such as "model-rate-limited".
    show(error.message);
    if (error.data.retryAfter !== undefined) show(`Again in ${error.data.retryAfter} ms.`);
  }
  //#endregion modelError
}

export async function modelsExample(settings: ModelSettings, folder: string, show: (text: string) => void) {
  //#region models
  const models = await Models.open({ settings, folder });
  models.onchange(({ current, help }) => show(current ?? help));
  await models.refresh(); // requests the lists of local providers such as Ollama
  const [first] = models.list().filter(({ problem }) => problem === undefined);
  await models.choose(first?.id);
  //#endregion models
  return models.current;
}

export async function detectExample(show: (text: string) => void) {
  //#region detect
  for (const { program, url, models } of await detectLocalServers()) {
    show(`${program} at ${url}: ${models.map(({ name }) => name).join(", ")}`);
  }
  //#endregion detect
  //#region isModelServer
  if (await isModelServer("http://127.0.0.1:9000/v1")) show("a model server runs there");
  //#endregion isModelServer
}
