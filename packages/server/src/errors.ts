/**
 * Errors in a definition, with codes whose meaning never changes.
 *
 * @module
 */

/** The kind of a {@link DefinitionError}. */
export type DefinitionErrorCode =
  /** Two tools or two views have the same name. */
  | "name-taken"
  /** A name cannot be part of an address. */
  | "name-invalid"
  /** A file or folder does not exist. */
  | "view-missing"
  /** The function that renders the document threw, or did not return a string. */
  | "view-failed"
  /** The document is too large. */
  | "view-too-large"
  /** The document is not UTF-8. */
  | "view-not-utf8"
  /** A path leads out of its folder, or through a symbolic link. */
  | "path-forbidden"
  /** A built page refers to a file that cannot be inlined. */
  | "view-not-whole"
  /** A page loads a development server's client: it was not built. */
  | "view-not-built"
  /** A template's configuration does not match its schema. */
  | "config-invalid"
  /** `_meta.ui` contains something that hosts do not understand. */
  | "meta-invalid"
  /** A file is not JSON. */
  | "json-invalid"
  /** There is no template with this name. */
  | "template-unknown"
  /** A folder in `tools` contains no tool. */
  | "tool-missing"
  /** A tool's file does not define a tool, or cannot be loaded. */
  | "tool-invalid"
  /** Folders cannot be watched. */
  | "watch-failed"
  /** Another program uses the port of `--http`. */
  | "port-in-use";

/** A mistake in a definition. The message says where it is, and what to write instead. */
export class DefinitionError extends Error {
  override readonly name = "DefinitionError";
  readonly code: DefinitionErrorCode;

  constructor(code: DefinitionErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
