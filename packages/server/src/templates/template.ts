/**
 * What a template is: a page that is the same for everybody, and a configuration that is checked before it goes into it.
 *
 * @module
 */
import type { JsonSchema } from "./check-config.js";

/** A template. */
export interface Template<Config extends object = object> {
  readonly name: string;
  /** What its configuration must be: for the check, and for editors. */
  readonly schema: JsonSchema;
  /** The text of the page's script, and its style. */
  readonly script: string;
  readonly style: string;
  /** What the page is called when the configuration has no `title`. */
  readonly title: string;
  /**
   * Whether the page calls the tool whose view it is. Not every host says which one that is: where one tool alone has the view, its
   * name and input schema stand in the document's configuration, as `tool`.
   */
  readonly usesTool?: boolean | undefined;
  /** Says in words what the page shows. `inputSchema` is that of the tool, as JSON Schema: a page can ask for its arguments. */
  readonly text?:
    | ((data: unknown, config: Config, about?: { readonly inputSchema?: object | undefined }) => string)
    | undefined;
}

/** The tool whose view a page is. */
export interface ShownTool {
  readonly name: string;
  readonly inputSchema?: object | undefined;
}

/** Any template: which configuration it takes is for its schema to say. */
export type AnyTemplate = Template<never>;
