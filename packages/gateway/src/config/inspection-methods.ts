/**
 * Requests of a user who inspects a server, with the schemas of their params.
 *
 * @module
 */
import type { InspectionMethod } from "@vitrine/guard";
import type { Shape } from "@vitrine/protocol";

const STRING: Shape<string> = { kind: "string" };
const STRINGS: Shape = { kind: "record", values: STRING };
const META: Shape = { kind: "record", values: { kind: "unknown" } };
const shape = (fields: Record<string, Shape>, optional: Record<string, Shape> = {}): Shape => ({
  kind: "object",
  fields,
  optional: { _meta: META, ...optional },
});
const TASK = shape({ taskId: STRING });

/** The levels of log lines, from least to most urgent. */
export const LEVELS = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;

/** Schemas of the params, by method. */
export const INSPECTION: Readonly<Record<InspectionMethod, Shape>> = {
  "completion/complete": shape(
    {
      ref: { kind: "object", fields: { type: STRING }, optional: { name: STRING, uri: STRING } },
      argument: { kind: "object", fields: { name: STRING, value: STRING }, optional: {} },
    },
    { context: { kind: "object", fields: {}, optional: { arguments: STRINGS } } },
  ),
  "logging/setLevel": shape({ level: { kind: "literal", values: [...LEVELS] } }),
  "tasks/list": shape({}, { cursor: STRING }),
  "tasks/get": TASK,
  "tasks/result": TASK,
  "tasks/cancel": TASK,
};

/** Whether only a user who inspects a server may send the method. */
export const isInspection = (method: string): method is InspectionMethod => Object.hasOwn(INSPECTION, method);

/** Whether such a method changes nothing at the server. */
export const onlyInspects = (method: string): boolean =>
  isInspection(method) && method !== "logging/setLevel" && method !== "tasks/cancel";
