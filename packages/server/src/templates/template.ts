/**
 * Templates: a fixed page, and a configuration that is validated before it is inserted.
 *
 * @module
 */
import type { JsonSchema } from "@vitrine/protocol";

/** A template. */
export interface Template<Config extends object = object> {
  readonly name: string;
  /** Schema of the configuration, for validation and editors. */
  readonly schema: JsonSchema;
  /** Script and style of the page. */
  readonly script: string;
  readonly style: string;
  /** Title of the page if the configuration has none. */
  readonly title: string;
  /**
   * Whether the page calls the tool of its view. Not every host reveals that tool. If only one tool has the
   * view, its name and input schema are added to the document's configuration, as `tool`.
   */
  readonly usesTool?: boolean | undefined;
  /**
   * Renders the page's content as text. `inputSchema` is the tool's JSON Schema, for pages that ask for its
   * arguments.
   */
  readonly text?:
    | ((data: unknown, config: Config, about?: { readonly inputSchema?: object | undefined }) => string)
    | undefined;
}

/** The tool that a page belongs to. */
export interface ShownTool {
  readonly name: string;
  readonly inputSchema?: object | undefined;
}

/** A template with any configuration; its schema defines which. */
export type AnyTemplate = Template<never>;
