/**
 * What is to be approved: read from a tool's data.
 *
 * @module
 */

type Json = Readonly<Record<string, unknown>>;

/** What people are asked to approve. */
export interface ApprovalRequest {
  readonly title: string;
  readonly summary: string;
  /** Names and values; a name may be empty. */
  readonly details: readonly (readonly [name: string, value: unknown])[];
  /** Arguments for the tool that is told the decision. */
  readonly args: Json;
  readonly isDangerous: boolean;
}

/** Data is a text, a list, or a record: `details` of it, or whatever it has besides what is named here. */
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

/** A record's members; a list's `{ label, value }`, or what else is in it. */
function entriesOf(details: unknown): [string, unknown][] {
  if (isRecord(details)) return Object.entries(details).filter(([, value]) => value !== undefined);
  if (!Array.isArray(details)) return details === null ? [] : [["", details]];
  return details.map((each) => {
    const { label, name = label, value } = Object(each);
    return value === undefined ? ["", each] : [`${name ?? ""}`, value];
  });
}

const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
