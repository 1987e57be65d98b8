/**
 * Members of `_meta` that go with every request from revision 2026-07-28 on.
 *
 * @module
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/client";
import type { Implementation } from "@vitrine/protocol";
import { capabilitiesFor, type LogLevel } from "./connection.js";
import { TASKS_EXTENSION } from "./modern-tasks.js";
import type { ServerAsks } from "./server-asks.js";

/** Options of {@link modernEnvelope}. */
export interface ModernEnvelopeOptions {
  readonly version: string | undefined;
  readonly info: Implementation;
  readonly asks: ServerAsks | undefined;
  readonly level: LogLevel;
}

/** Makes the members of `_meta`. Only requests about tasks declare tasks: other callers expect a result. */
export const modernEnvelope =
  ({ version, info, asks, level }: ModernEnvelopeOptions) =>
  (withTasks: boolean): Readonly<Record<string, unknown>> => {
    const { extensions, ...capabilities } = capabilitiesFor(asks);
    return {
      [PROTOCOL_VERSION_META_KEY]: version,
      [CLIENT_INFO_META_KEY]: info,
      [CLIENT_CAPABILITIES_META_KEY]: {
        ...capabilities,
        extensions: { ...extensions, ...(withTasks && { [TASKS_EXTENSION]: {} }) },
      },
      ...(level.current && { [LOG_LEVEL_META_KEY]: level.current }),
    };
  };
