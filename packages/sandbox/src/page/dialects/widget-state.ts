/**
 * The widget state of the Apps SDK: what is kept of it, and what the model sees.
 */
import { isRecord } from "@vitrine/protocol";

const keyOf = (instance: unknown): string => `openai:${instance}`;

/** Keeps the state for the next document of this view. Without storage, it lives as long as the document. */
export function keepState(instance: unknown, state: unknown): void {
  // Numeric ids restart with every connection, so another view could have the same one.
  if (typeof instance !== "string") return;
  try {
    sessionStorage.setItem(keyOf(instance), JSON.stringify(state ?? null));
  } catch {
    // A view without an origin has no storage.
  }
}

/** The state that an earlier document of this view kept. */
export function keptState(instance: unknown): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(instance)) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * The model's context for a state. Of the structured form, the model sees `modelContent` alone; `privateContent` is for
 * the app.
 */
export function forModel(state: unknown): object {
  const isStructured = isRecord(state) && ("modelContent" in state || "privateContent" in state);
  const seen = isStructured ? state["modelContent"] : state;
  if (seen == null) return {};
  if (isRecord(seen)) return { structuredContent: seen };
  return { content: [{ type: "text", text: typeof seen === "string" ? seen : JSON.stringify(seen) }] };
}
