/**
 * Code of the page that is loaded when it is needed.
 *
 * @module
 */
import { useEffect } from "react";
import { Observable } from "../model/observable.js";
import { useObservable } from "./use-observable.js";

/** The parts that are loaded in advance. */
const known = new Set<Loaded<unknown>>();

/** When a part is loaded: also in advance, or only when it is needed. */
export type LoadTime = "early" | "late";

/** A part of the page's code, loaded once. */
export class Loaded<T> extends Observable {
  readonly #load: () => Promise<T>;
  #loading: Promise<T> | undefined;
  #wasAsked = false;
  value: T | undefined;
  /** Why the last attempt failed. */
  problem: unknown;

  constructor(load: () => Promise<T>, time: LoadTime = "early") {
    super();
    this.#load = load;
    if (time === "early") known.add(this);
  }

  get wasAsked(): boolean {
    return this.#wasAsked;
  }

  /** Loads it. After a failure, the next call tries again. */
  async load(): Promise<T> {
    this.#wasAsked = true;
    this.#loading ??= this.#load();
    try {
      this.value = await this.#loading;
      this.problem = undefined;
      return this.value;
    } catch (error) {
      this.#loading = undefined;
      this.problem = error;
      throw error;
    } finally {
      this.changed();
    }
  }

  /** Loads it, perhaps before it is needed; a failure is in {@link problem}. */
  readonly prepare = async (): Promise<void> => {
    await this.load().catch(() => {});
  };
}

/** The code; undefined while it loads, or is not wanted. */
export function useLoaded<T>(part: Loaded<T>, isWanted = true): T | undefined {
  useObservable(part);
  useEffect(() => {
    if (isWanted && part.value === undefined) void part.prepare();
  }, [part, isWanted]);
  return isWanted ? part.value : undefined;
}

/** The parts that nobody has asked for yet. Those that failed are left to the user. */
export const unprepared = (): Loaded<unknown>[] => [...known].filter(({ wasAsked }) => !wasAsked);

/** Tries again to load all parts that failed. */
export function retryFailed(): void {
  for (const part of known) if (part.problem !== undefined) void part.prepare();
}
