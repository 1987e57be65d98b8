import type { Transport } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { stageSettings } from "../../../testing/gateway/guard-stage.js";
import { handshake } from "./connection.js";

const unhandled = vi.fn();
beforeEach(() => void process.on("unhandledRejection", unhandled));
afterEach(() => {
  process.off("unhandledRejection", unhandled);
  unhandled.mockClear();
});

/** A connection that fails on request. */
function slowTransport() {
  let fail = (): void => {};
  const started = new Promise<void>((_, reject) => {
    fail = () => reject(new Error("the pipe broke"));
  });
  const transport: Transport = { start: () => started, send: async () => {}, close: async () => {} };
  return { transport, fail };
}

const options = (signal: AbortSignal) => ({
  settings: stageSettings(),
  verdicts: new Map(),
  info: { name: "test", version: "1" },
  signal,
});

it("an aborted start rejects at once, and its later failure is handled", async () => {
  const { transport, fail } = slowTransport();
  const unwanted = new Error("nobody wants it");
  await expect(handshake(transport, options(AbortSignal.abort(unwanted)))).rejects.toBe(unwanted);
  fail();
  // Unhandled rejections are reported after this turn.
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).not.toHaveBeenCalled();
});

it("a start that is aborted in progress rejects at once, and its later failure is handled", async () => {
  const { transport, fail } = slowTransport();
  const controller = new AbortController();
  const start = handshake(transport, options(controller.signal));
  const unwanted = new Error("nobody wants it");
  controller.abort(unwanted);
  await expect(start).rejects.toBe(unwanted);
  fail();
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).not.toHaveBeenCalled();
});
