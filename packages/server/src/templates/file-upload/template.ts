/**
 * File upload for a tool.
 *
 * @module
 */

import type { JsonSchema } from "@vitrine/protocol";
import { textOfData } from "../../text-of-data.js";
import { builtIn } from "../built-in.js";
import { submitSchema } from "../form/field.js";
import type { SubmitConfig } from "../form/template.js";
import type { Template } from "../template.js";
import { type FileLimits, limitsInWords, limitsOf } from "./limits.js";

/** Configuration of {@link fileUpload}. */
export interface FileUploadConfig extends SubmitConfig, FileLimits {
  /** A sentence below the heading. */
  readonly description?: string | undefined;
  /** Encoding of the contents: `base64` by default; `text` accepts only UTF-8. */
  readonly encoding?: "base64" | "text" | undefined;
  /** Label of the button; "Upload" by default. */
  readonly submitLabel?: string | undefined;
}

const schema: JsonSchema = {
  type: "object",
  properties: {
    title: { type: "string", default: "Upload files" },
    description: { type: "string" },
    accept: {
      type: "array",
      items: { type: "string", pattern: "^(\\.[^,\\s]+|[\\w.+\\-]+/([\\w.+\\-]+|\\*))$" },
      description: "Extensions such as .csv, and types such as text/csv or image/*; all by default.",
    },
    multiple: { type: "boolean", default: true },
    maxFiles: {
      type: "integer",
      minimum: 1,
      default: 100,
      description: "Maximum number of files per upload.",
    },
    maxBytes: { type: "integer", minimum: 1, default: 5_242_880, description: "Maximum bytes of one file." },
    maxTotalBytes: {
      type: "integer",
      minimum: 1,
      description: "Maximum bytes of all files in one upload: 7 MiB by default, unlimited with each.",
    },
    each: { type: "boolean", default: false, description: "Calls the tool once per file." },
    encoding: { type: "string", enum: ["base64", "text"], default: "base64" },
    submitLabel: { type: "string", minLength: 1, default: "Upload" },
    ...submitSchema,
    submitTool: {
      type: "string",
      minLength: 1,
      description: "The tool that gets the files; by default, the tool of this view.",
    },
  },
  additionalProperties: false,
};

/**
 * Lets users choose files, and calls a tool with them.
 *
 * @example
 * ```ts source="../../server.examples.ts#fileUpload"
 * const receipts = view({
 *   name: "receipts",
 *   template: fileUpload,
 *   config: {
 *     title: "Receipts of your trip",
 *     accept: ["image/*", ".pdf"],
 *     maxFiles: 10,
 *     submitTool: "save-receipts",
 *     submitArgs: { trip: "rome" },
 *   },
 * });
 *
 * ```
 */
export const fileUpload: Template<FileUploadConfig> = builtIn({
  name: "file-upload",
  title: "Upload files",
  usesTool: true,
  schema,
  text: textOfUpload,
});

/** Without data, describes the accepted files; other data is shown as it is. */
function textOfUpload(data: unknown, config: FileUploadConfig): string {
  if (Object.keys(Object(data)).length > 0 || typeof (data ?? {}) !== "object") return textOfData(data);
  const { title = "Upload files", description, encoding } = config;
  const limits = limitsInWords(limitsOf(config), (value, options) =>
    new Intl.NumberFormat("en", options).format(value),
  );
  const asked = `Waiting for files. ${limits}${encoding === "text" ? "; text (UTF-8) only" : ""}.`;
  return [title, description, asked].filter(Boolean).join("\n\n");
}
