/**
 * Reads the request to approve from a tool's data.
 *
 * @module
 */

import { isRecord } from "@vitrine/protocol";

type Json = Readonly<Record<string, unknown>>;

/** A request for approval. */
export interface ApprovalRequest {
  readonly title: string;
  readonly summary: string;
  /** Names and values; a name may be empty. */
  readonly details: readonly (readonly [name: string, value: unknown])[];
  /** Arguments for the tool that receives the decision. */
  readonly args: Json;
  readonly isDangerous: boolean;
}

/** Reads data that is a string, a list, or a record: its `details`, or all fields without another meaning. */
export function requestOf(
  data: unknown,
  config: { readonly summary?: string | undefined; readonly danger?: boolean | undefined },
): ApprovalRequest {
  const record = isRecord(data) ? data : typeof data === "string" ? { summary: data } : { details: data };
  const { title, summary, description, message, details, args, danger, ...rest } = record as Json;
  const words = [config.summary, summary, description, message].find((each) => typeof each === "string");
  return {
    title: typeof title === "string" ? title : "",
    summary: (words as string | undefined) ?? "",
    details: entriesOf(details ?? rest),
    args: isRecord(args) ? args : {},
    isDangerous: config.danger ?? danger === true,
  };
}

/** The entries of a record, or of a list of `{ label, value }` or plain values. */
function entriesOf(details: unknown): [string, unknown][] {
  if (isRecord(details)) return Object.entries(details).filter(([, value]) => value !== undefined);
  if (!Array.isArray(details)) return details === null ? [] : [["", details]];
  return details.map((each) => {
    const { label, name = label, value } = Object(each);
    return value === undefined ? ["", each] : [`${name ?? ""}`, value];
  });
}
