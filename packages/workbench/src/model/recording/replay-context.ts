/**
 * Where a replayed app believes it is: as far as a replay can, where it was.
 *
 * @module
 */
import { type HostContext, INSTANCE_KEY } from "@vitrine/protocol";
import type { Look } from "../diagnosis/look.js";

/** What the frame itself tells the app, by the room that there is now. */
const OWN_CONTEXT = ["availableDisplayModes", "containerDimensions", "displayMode", INSTANCE_KEY];

/** What the app knew, or what changed of it, without what the frame tells it. */
export const recordedContext = (context: Readonly<Record<string, unknown>>): HostContext =>
  Object.fromEntries(Object.entries(context).filter(([key]) => !OWN_CONTEXT.includes(key)));

/** The room that the app had; what else it knew of its place comes with the context. */
export function recordedLook(context: HostContext, { height, maxHeight }: Look): Look {
  const { width } = (context.containerDimensions ?? {}) as { width?: unknown };
  const isInline = (context.displayMode ?? "inline") === "inline";
  return {
    width: isInline ? pixels(width) : undefined,
    height: pixels(height),
    maxHeight: pixels(maxHeight),
  };
}

const pixels = (value: unknown): number | undefined =>
  typeof value === "number" && value > 0 ? value : undefined;
