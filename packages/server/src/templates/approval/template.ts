/**
 * A request that users approve or reject.
 *
 * @module
 */

import type { JsonSchema } from "@vitrine/protocol";
import { textOfData } from "../../text-of-data.js";
import { builtIn } from "../built-in.js";
import type { Template } from "../template.js";
import { requestOf } from "./request.js";

/** Configuration of {@link approval}. */
export interface ApprovalConfig {
  readonly title?: string | undefined;
  /** A sentence that describes the request; the data's by default. */
  readonly summary?: string | undefined;
  readonly approveLabel?: string | undefined;
  readonly rejectLabel?: string | undefined;
  /** Whether users may give a reason; false by default. */
  readonly reason?: boolean | undefined;
  /** Whether users must give a reason to reject. */
  readonly reasonToReject?: boolean | undefined;
  /** The tool that is called in both cases, with `approved` and `reason`. */
  readonly tool?: string | undefined;
  /** The tool that is called on approval, with `reason`. */
  readonly approveTool?: string | undefined;
  /** The tool that is called on rejection, with `reason`. */
  readonly rejectTool?: string | undefined;
  /** Additional arguments for the tools. */
  readonly toolArgs?: Readonly<Record<string, unknown>> | undefined;
  /** Whether approval is dangerous and needs a second confirmation. The data's setting by default. */
  readonly danger?: boolean | undefined;
}

const tool: JsonSchema = { type: "string", minLength: 1 };

const schema: JsonSchema = {
  type: "object",
  properties: {
    title: { type: "string", default: "Approval" },
    summary: { type: "string", description: "Describes the request; the data's by default." },
    approveLabel: { type: "string", minLength: 1, default: "Approve" },
    rejectLabel: { type: "string", minLength: 1, default: "Reject" },
    reason: { type: "boolean", default: false, description: "Whether users may give a reason." },
    reasonToReject: {
      type: "boolean",
      default: false,
      description: "Whether users must give a reason to reject.",
    },
    tool: { ...tool, description: "Called in both cases, with approved and reason." },
    approveTool: tool,
    rejectTool: tool,
    toolArgs: { type: "object", description: "Additional arguments for the tools." },
    danger: { type: "boolean", description: "Whether approval needs a second confirmation." },
  },
  additionalProperties: false,
};

/**
 * Shows a request for approval, and passes the decision to a tool or the conversation.
 *
 * @example
 * ```ts source="../../server.examples.ts#approval"
 * const release = view({
 *   name: "release",
 *   template: approval,
 *   config: {
 *     title: "Release to production?",
 *     reason: true,
 *     danger: true,
 *     approveTool: "release-now",
 *     rejectTool: "stop-release",
 *   },
 * });
 *
 * ```
 */
export const approval: Template<ApprovalConfig> = builtIn({
  name: "approval",
  title: "Approval",
  schema,
  text: textOfApproval,
});

function textOfApproval(data: unknown, config: ApprovalConfig): string {
  const { title, summary, details, isDangerous } = requestOf(data, config);
  const parts = [
    `${title || config.title || "Approval"}${isDangerous ? " (dangerous)" : ""}`,
    summary,
    details.length > 0 && textOfDetails(details),
    `Waiting for the user: ${config.approveLabel ?? "Approve"} or ${config.rejectLabel ?? "Reject"}.`,
  ];
  return parts.filter(Boolean).join("\n\n");
}

const textOfDetails = (details: readonly (readonly [string, unknown])[]): string =>
  details.every(([name]) => name === "")
    ? textOfData(details.map(([, value]) => value))
    : textOfData(Object.fromEntries(details));
