/**
 * The host context of a replayed app: as recorded, as far as possible.
 *
 * @module
 */
import { type HostContext, INSTANCE_KEY } from "@vitrine/protocol";
import type { Look } from "../diagnosis/look.js";

/** Keys that the frame sets itself, by the current size. */
const OWN_CONTEXT = ["availableDisplayModes", "containerDimensions", "displayMode", INSTANCE_KEY];

/** A recorded context, or a change of it, without the frame's own keys. */
export const recordedContext = (context: Readonly<Record<string, unknown>>): HostContext =>
  Object.fromEntries(Object.entries(context).filter(([key]) => !OWN_CONTEXT.includes(key)));

/** The recorded size; the rest comes with the context. */
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
