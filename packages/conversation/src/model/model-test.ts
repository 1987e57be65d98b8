/**
 * Sends a test message to a model, to see whether it answers and can call tools.
 *
 * @module
 */
import { isRecord, VitrineError } from "@vitrine/protocol";
import type { ModelTest } from "@vitrine/wire";
import type { Model, ModelRequest } from "./model.js";
import { ModelError } from "./model-error.js";

/** Milliseconds: a local model may have to be loaded first. */
const TEST_TIMEOUT = 60_000;
/** Characters of the answer that are shown. */
const LONGEST_TEXT = 500;
/** Tokens of the answer. Models that reason need some before they call. */
const TEST_TOKENS = 1_000;

/** The word that the model passes to the tool. */
const WORD = "vitrine";

const REQUEST: ModelRequest = {
  system:
    "This is a test of the connection. Call the tool that the user names. If you cannot call tools, say so in one sentence.",
  messages: [
    { role: "user", content: [{ type: "text", text: `Call the tool "say_hello" with the word "${WORD}".` }] },
  ],
  tools: [
    {
      name: "say_hello",
      description: "Confirms that tools can be called.",
      inputSchema: {
        type: "object",
        properties: { word: { type: "string", description: "The word of the user" } },
        required: ["word"],
        additionalProperties: false,
      },
    },
  ],
  maxTokens: TEST_TOKENS,
};

/**
 * Sends one real request with one tool. The tool does nothing: its call shows that the model can make calls. Never rejects:
 * a failure is part of the outcome.
 */
export async function testModel(model: Model, timeout: number = TEST_TIMEOUT): Promise<ModelTest> {
  const started = performance.now();
  const signal = AbortSignal.timeout(timeout);
  let text = "";
  let usage: ModelTest["usage"];
  let problem: ModelTest["problem"];
  const calls = new Map<string, { name: string; input: string }>();
  try {
    for await (const delta of model.stream(REQUEST, signal)) {
      if (delta.kind === "text") text = (text + delta.text).slice(0, LONGEST_TEXT);
      else if (delta.kind === "call") calls.set(delta.id, { name: delta.name, input: "" });
      else if (delta.kind === "arguments") {
        const call = calls.get(delta.id);
        if (call) call.input = (call.input + delta.text).slice(0, LONGEST_TEXT);
      } else if (delta.kind === "usage") usage = delta.usage;
    }
  } catch (error) {
    problem = problemOf(error, signal.aborted, timeout);
  }
  const canCall = [...calls.values()].some(({ name, input }) => name === "say_hello" && hasWord(input));
  return {
    text: text.trim(),
    duration: Math.round(performance.now() - started),
    ...(usage && { usage }),
    canCall,
    ...(problem && { problem }),
  };
}

function hasWord(input: string): boolean {
  try {
    const read: unknown = JSON.parse(input);
    return isRecord(read) && typeof read["word"] === "string";
  } catch {
    return false;
  }
}

function problemOf(error: unknown, isLate: boolean, timeout: number): { code: string; message: string } {
  if (isLate) {
    const message = `there was no complete answer within ${Math.round(timeout / 1_000)} seconds; check the provider, or try again when the model is loaded`;
    return { code: "model-unreachable", message };
  }
  if (error instanceof ModelError) return { code: error.data.code, message: error.message };
  const message =
    error instanceof VitrineError ? error.message : "the request failed unexpectedly; try again";
  return { code: "model-failed", message };
}
