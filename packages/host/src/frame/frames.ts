/**
 * The frames in the page. A module of its own, so that questions to the user can find a frame without the code
 * that shows one.
 *
 * @module
 */
import type { AppFrame } from "./frame.js";

/** The frames in the page, by the instance of their bridge. */
export const frames = new Map<string, AppFrame>();

/** The frame of a view, by its bridge's instance. */
export const frameOf = (instance: string): AppFrame | undefined => frames.get(instance);

/** Called for every new frame. */
export const frameListeners = new Set<() => void>();
