/**
 * What can be wrong with a definition, with a word that never changes its meaning.
 *
 * @module
 */

/** What kind of {@link DefinitionError}. */
export type DefinitionErrorCode =
  /** Two tools, or two views, have the same name. */
  | "name-taken"
  /** A name cannot be part of an address. */
  | "name-invalid"
  /** There is no such file or folder. */
  | "view-missing"
  /** What writes the document has thrown, or gave something else than a text. */
  | "view-failed"
  /** The document has more bytes than a view may have. */
  | "view-too-large"
  /** The document is not UTF-8. */
  | "view-not-utf8"
  /** A path leads out of its folder, or through a symbolic link. */
  | "path-forbidden"
  /** A built page refers to something that is not in it and cannot be put into it. */
  | "view-not-whole"
  /** A page has the client of a development server in it, and was not built. */
  | "view-not-built"
  /** The configuration of a template is not as its schema wants it. */
  | "config-invalid"
  /** `_meta.ui` has something that hosts do not understand. */
  | "meta-invalid"
  /** A file is not JSON. */
  | "json-invalid"
  /** There is no template of that name. */
  | "template-unknown"
  /** A folder of `tools` has no tool in it. */
  | "tool-missing"
  /** A tool's file does not say what a tool is, or cannot be loaded. */
  | "tool-invalid"
  /** Folders cannot be watched. */
  | "watch-failed"
  /** Another program listens on the port of `--http`. */
  | "port-in-use";

/** A definition is wrong: the message says where, and what to write. */
export class DefinitionError extends Error {
  override readonly name = "DefinitionError";
  readonly code: DefinitionErrorCode;

  constructor(code: DefinitionErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
