/**
 * A request that people approve or reject.
 *
 * @module
 */
import { textOfData } from "../../text-of-data.js";
import { builtIn } from "../built-in.js";
import type { JsonSchema } from "../check-config.js";
import type { Template } from "../template.js";
import { requestOf } from "./request.js";

/** Configuration of {@link approval}. */
export interface ApprovalConfig {
  readonly title?: string | undefined;
  /** What is asked, in a sentence; that of the data by default. */
  readonly summary?: string | undefined;
  readonly approveLabel?: string | undefined;
  readonly rejectLabel?: string | undefined;
  /** Whether people may give a reason; they are not asked for one by default. */
  readonly reason?: boolean | undefined;
  /** Whether they must, to reject. */
  readonly reasonToReject?: boolean | undefined;
  /** The tool that is told of both: it gets `approved` and `reason`. */
  readonly tool?: string | undefined;
  /** The tool for what was approved: it gets `reason`. */
  readonly approveTool?: string | undefined;
  /** The tool for what was rejected: it gets `reason`. */
  readonly rejectTool?: string | undefined;
  /** Arguments that the tools get besides. */
  readonly toolArgs?: Readonly<Record<string, unknown>> | undefined;
  /** Whether approving is dangerous: then it is asked once more. What the data says by default. */
  readonly danger?: boolean | undefined;
}

const tool: JsonSchema = { type: "string", minLength: 1 };

const schema: JsonSchema = {
  type: "object",
  properties: {
    title: { type: "string", default: "Approval" },
    summary: { type: "string", description: "What is asked; that of the data by default." },
    approveLabel: { type: "string", minLength: 1, default: "Approve" },
    rejectLabel: { type: "string", minLength: 1, default: "Reject" },
    reason: { type: "boolean", default: false, description: "Whether people may give a reason." },
    reasonToReject: { type: "boolean", default: false, description: "Whether they must, to reject." },
    tool: { ...tool, description: "Is told of both: gets approved and reason." },
    approveTool: tool,
    rejectTool: tool,
    toolArgs: { type: "object", description: "Arguments that the tools get besides." },
    danger: { type: "boolean", description: "Whether approving is asked once more." },
  },
  additionalProperties: false,
};

/**
 * Shows what is to be approved, and tells a tool, or the conversation, what was decided.
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
    `Waiting for a person: ${config.approveLabel ?? "Approve"} or ${config.rejectLabel ?? "Reject"}.`,
  ];
  return parts.filter(Boolean).join("\n\n");
}

const textOfDetails = (details: readonly (readonly [string, unknown])[]): string =>
  details.every(([name]) => name === "")
    ? textOfData(details.map(([, value]) => value))
    : textOfData(Object.fromEntries(details));
