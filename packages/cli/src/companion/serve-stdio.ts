/**
 * Serves the companion over stdio, to the client that started this process.
 *
 * @module
 */
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Companion } from "./companion.js";
import { companionServer } from "./companion-server.js";
import { MAX_MESSAGE, type RunningService } from "./serving.js";

/** Options of {@link serveByStdio}. */
export interface StdioOptions {
  readonly input?: Readable | undefined;
  readonly output?: Writable | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

/** Serves it; `ended` resolves when the client has closed its side. */
export function serveByStdio(
  companion: Companion,
  { input = process.stdin, output = process.stdout, onerror }: StdioOptions = {},
): RunningService & { readonly ended: Promise<unknown> } {
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MAX_MESSAGE });
  const ended = Promise.race([once(input, "end"), once(input, "close")]);
  const handle = serveStdio(
    ({ era }) => companionServer(companion, { isLasting: true, isModern: era === "modern" }),
    { transport, ...(onerror && { onerror }) },
  );
  return { ended, close: () => handle.close() };
}
