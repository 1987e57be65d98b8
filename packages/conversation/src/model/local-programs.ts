/**
 * Recognizes programs that serve models on this machine, by the shape of their documented responses.
 *
 * @module
 */
import { isRecord } from "@vitrine/protocol";
import type { LocalModelServer } from "@vitrine/wire";
import type { ListedModel } from "./listed-model.js";
import { limitedText, parsedJson, positiveInteger } from "./small-json.js";

/** Sends a request to the server; undefined if there is no valid JSON in time. Never follows a redirect. */
export type AskLocal = (path: string, body?: unknown) => Promise<unknown>;

/** A program and its usual port. */
export interface LocalProgram {
  readonly program: LocalModelServer["program"];
  readonly port: number;
  /** The server's models; undefined if it is another program. */
  models(ask: AskLocal): Promise<ListedModel[] | undefined>;
}

/** Maximum models whose details are requested one by one. */
const MOST_DETAILS = 20;
/** Maximum models of one server. */
const MOST_MODELS = 200;

const nameIn = (entry: unknown, key: string): string | undefined => {
  const name = isRecord(entry) ? entry[key] : undefined;
  return typeof name === "string" && name.length <= 200 && /^[^\s\p{Cc}\p{Cf}]+$/u.test(name)
    ? name
    : undefined;
};

const listIn = (answer: unknown, key: string): unknown[] | undefined => {
  const list = isRecord(answer) ? answer[key] : undefined;
  return Array.isArray(list) ? list.slice(0, MOST_MODELS) : undefined;
};

/** Builds a model without facts that are unknown. */
function model(name: string, context: unknown, canCall: boolean | undefined): ListedModel {
  const tokens = positiveInteger(context);
  return {
    name,
    ...(tokens !== undefined && { context: tokens }),
    ...(canCall !== undefined && { canCall }),
  };
}

/** `GET /api/tags` lists the models; `POST /api/show` has the context length and the capabilities of one. */
async function ollamaModels(ask: AskLocal): Promise<ListedModel[] | undefined> {
  const tags = listIn(await ask("/api/tags"), "models");
  if (!tags?.every((tag) => isRecord(tag) && typeof tag["digest"] === "string")) return undefined;
  const names = tags.flatMap((tag) => nameIn(tag, "name") ?? []);
  return (
    await Promise.all(
      names.map(async (name, at) => {
        const shown = at < MOST_DETAILS ? await ask("/api/show", { model: name }) : undefined;
        const { model_info: info, capabilities } = isRecord(shown) ? shown : {};
        const able = Array.isArray(capabilities) ? capabilities : undefined;
        if (able && !able.includes("completion")) return [];
        const [, context] = isRecord(info)
          ? (Object.entries(info).find(([key]) => key.endsWith(".context_length")) ?? [])
          : [];
        return [model(name, context, able?.includes("tools"))];
      }),
    )
  ).flat();
}

/** `GET /api/v0/models` lists all downloaded models, with their type and maximum context. */
async function studioModels(ask: AskLocal): Promise<ListedModel[] | undefined> {
  const list = listIn(await ask("/api/v0/models"), "data");
  if (!list?.every((each) => isRecord(each) && typeof each["state"] === "string" && "type" in each))
    return undefined;
  return list.flatMap((each) => {
    const name = nameIn(each, "id");
    if (!isRecord(each) || name === undefined || each["type"] === "embeddings") return [];
    const { capabilities, loaded_context_length: loaded, max_context_length: max } = each;
    const canCall = Array.isArray(capabilities) ? capabilities.includes("tool_use") : undefined;
    return [model(name, loaded ?? max, canCall)];
  });
}

/** `GET /v1/models` names its owner; `GET /props` has the context of the loaded model. */
async function llamaModels(ask: AskLocal): Promise<ListedModel[] | undefined> {
  const list = owned(await ask("/v1/models"), "llamacpp");
  if (!list) return undefined;
  const props = await ask("/props");
  const settings = isRecord(props) ? props["default_generation_settings"] : undefined;
  const context = isRecord(settings) ? settings["n_ctx"] : undefined;
  const caps = isRecord(props) ? props["chat_template_caps"] : undefined;
  const canCall =
    isRecord(caps) && typeof caps["supports_tools"] === "boolean" ? caps["supports_tools"] : undefined;
  return list.flatMap((each) => nameIn(each, "id") ?? []).map((name) => model(name, context, canCall));
}

/** `GET /v1/models` names its owner, and has the maximum length of each model. */
async function vllmModels(ask: AskLocal): Promise<ListedModel[] | undefined> {
  const list = owned(await ask("/v1/models"), "vllm");
  return list?.flatMap((each) => {
    const name = nameIn(each, "id");
    return isRecord(each) && name !== undefined ? [model(name, each["max_model_len"], undefined)] : [];
  });
}

/** The entries of an OpenAI list that all belong to this owner; undefined for any other list. */
function owned(answer: unknown, owner: string): unknown[] | undefined {
  const list = listIn(answer, "data");
  const isOwn = list && list.length > 0 && list.every((each) => isRecord(each) && each["owned_by"] === owner);
  return isOwn ? list : undefined;
}

/** The known programs, at the ports of their documentation. */
export const LOCAL_PROGRAMS: readonly LocalProgram[] = [
  { program: "Ollama", port: 11_434, models: ollamaModels },
  { program: "LM Studio", port: 1_234, models: studioModels },
  { program: "llama.cpp", port: 8_080, models: llamaModels },
  { program: "vLLM", port: 8_000, models: vllmModels },
];

/** Asks a server on this machine. Everything that is not a JSON answer in time counts as none. */
export const askAt =
  (origin: string, signal: AbortSignal): AskLocal =>
  async (path, body) => {
    try {
      const response = await fetch(`${origin}${path}`, {
        headers: {
          accept: "application/json",
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
        redirect: "manual",
        signal,
      });
      if (response.ok) return parsedJson(await limitedText(response));
      await response.body?.cancel();
    } catch {
      // Nothing listens there, or not in time: the usual case.
    }
    return undefined;
  };
