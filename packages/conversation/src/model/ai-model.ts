/**
 * The model port over the `ai` SDK.
 *
 * Uses the SDK's providers directly (`doStream`). `streamText`, the SDK's own loop over them, runs tools,
 * retries by itself and keeps all messages. The gateway does that itself, where a user can see and stop it;
 * and each token would cost more than twice as much time.
 *
 * @module
 */

import { failureOf } from "./failure.js";
import type { Model, ModelDelta, ModelRequest } from "./model.js";
import { ModelError } from "./model-error.js";
import { sdkRequest } from "./prompt.js";
import { type SdkMetadata, type SdkModel, sdkModel } from "./provider.js";
import type { ModelProviderSettings } from "./settings.js";

type SdkPart =
  Awaited<ReturnType<SdkModel["doStream"]>>["stream"] extends ReadableStream<infer Part> ? Part : never;
type SdkFinish = Extract<SdkPart, { type: "finish" }>;

/** Number of calls whose signatures are remembered: more than a turn has. */
const REMEMBERED = 1_000;

/**
 * A model of a provider. Its library is loaded at the first request; nothing is retried.
 *
 * @example
 * ```ts source="./model.examples.ts#aiModel"
 * const model = aiModel(
 *   { name: "local", type: "compatible", url: "http://127.0.0.1:11434/v1" }, // Ollama
 *   "qwen3",
 * );
 * const messages = [{ role: "user", content: [{ type: "text", text: "Hello" }] }] as const;
 * for await (const delta of model.stream({ messages, tools: [] }, signal)) {
 *   if (delta.kind === "text") show(delta.text);
 * }
 * ```
 */
export function aiModel(provider: ModelProviderSettings, name: string): Model {
  const { key, type } = provider;
  /** Gemini signs its calls, and requires the signatures with the results. */
  const signatures = new Map<string, SdkMetadata>();
  let loading: Promise<SdkModel> | undefined;
  const load = (): Promise<SdkModel> => {
    loading ??= sdkModel(provider, name);
    return loading;
  };

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelDelta> {
    let reader: ReadableStreamDefaultReader<SdkPart> | undefined;
    try {
      signal.throwIfAborted();
      const model = await load();
      const asked = sdkRequest(request, type, (call) => signatures.get(call));
      const answer = await model.doStream({ ...asked, abortSignal: signal });
      reader = answer.stream.getReader();
      const calls = new StreamedCalls();
      for (;;) {
        const { done, value: part } = await reader.read();
        signal.throwIfAborted();
        if (done) throw cutOff(provider.name);
        switch (part.type) {
          case "text-delta":
            if (part.delta !== "") yield { kind: "text", text: part.delta };
            break;
          case "tool-input-start":
            yield calls.start(part.id, part.toolName);
            break;
          case "tool-input-delta":
            if (part.delta !== "") yield calls.write(part.id, part.delta);
            break;
          case "tool-call":
            if (part.providerMetadata && type !== "openai")
              remember(signatures, part.toolCallId, part.providerMetadata);
            yield* calls.end(part.toolCallId, part.toolName, part.input);
            break;
          case "error":
            throw part.error;
          case "finish":
            yield* ended(part, calls.count > 0, provider.name);
            return;
        }
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw failureOf(error, {
        provider: provider.name,
        model: name,
        key,
        hasStarted: reader !== undefined,
        hasFiles: request.messages.some(
          ({ role, content }) => role === "user" && content.some(({ type }) => type !== "text"),
        ),
      });
    } finally {
      // Ends the provider's stream when the consumer stops.
      reader?.cancel().catch(() => {});
    }
  }

  return { id: `${provider.name}/${name}`, label: `${name} (${provider.name})`, stream };
}

const cutOff = (provider: string): ModelError =>
  new ModelError("model-cut-off", `the answer of ${provider} was cut off; try again`);

function remember(signatures: Map<string, SdkMetadata>, call: string, metadata: SdkMetadata): void {
  signatures.set(call, metadata);
  const [oldest] = signatures.keys();
  if (signatures.size > REMEMBERED && oldest !== undefined) signatures.delete(oldest);
}

/** The calls of an answer. Some providers stream them, and some send them at once. */
class StreamedCalls {
  /** Whether any of the arguments have arrived. */
  readonly #isWritten = new Map<string, boolean>();

  get count(): number {
    return this.#isWritten.size;
  }

  start(id: string, name: string): ModelDelta {
    this.#isWritten.set(id, false);
    return { kind: "call", id, name };
  }

  write(id: string, text: string): ModelDelta {
    this.#isWritten.set(id, true);
    return { kind: "arguments", id, text };
  }

  *end(id: string, name: string, input: string): Generator<ModelDelta> {
    if (!this.#isWritten.has(id)) yield this.start(id, name);
    // Some providers send nothing for a call without arguments.
    if (!this.#isWritten.get(id)) yield this.write(id, input === "" ? "{}" : input);
    yield { kind: "called", id };
  }
}

const REASONS = {
  stop: "stop",
  length: "length",
  "tool-calls": "tools",
  "content-filter": "filtered",
  other: "other",
} as const;

function* ended(
  { finishReason, usage }: SdkFinish,
  didCall: boolean,
  provider: string,
): Generator<ModelDelta> {
  const { unified, raw } = finishReason;
  // The SDK ends an interrupted answer regularly, without a reason.
  if (unified === "error" || (unified === "other" && raw === undefined)) throw cutOff(provider);
  const { inputTokens, outputTokens } = usage;
  if (inputTokens.total !== undefined || outputTokens.total !== undefined)
    yield { kind: "usage", usage: { input: inputTokens.total ?? 0, output: outputTokens.total ?? 0 } };
  // Some servers report "stop" after calls.
  const isCalling = didCall && (unified === "stop" || unified === "other");
  yield { kind: "end", reason: isCalling ? "tools" : REASONS[unified] };
}
