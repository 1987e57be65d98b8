/**
 * Restores the process after each file, because unit tests of many files run in one process. Above all it
 * removes listeners for uncaught errors: with one of them, Vitest no longer notices any.
 */
import fc from "fast-check";
import { afterAll, expect, vi } from "vitest";

const EVENTS = ["uncaughtException", "unhandledRejection", "SIGINT", "SIGTERM"];

const environment = { ...process.env };
const listeners = new Map(EVENTS.map((event) => [event, new Set(process.rawListeners(event))]));
const globals = () => [setTimeout, fetch, Response];
const before = globals();

// Registered before the file's own hooks, so it runs after them.
afterAll(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  fc.resetConfigureGlobal();
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  for (const [event, known] of listeners) {
    for (const each of process.rawListeners(event)) {
      if (!known.has(each)) process.off(event, each as () => void);
    }
  }
  expect(globals(), "This file leaves other globals than it found.").toEqual(before);
});
