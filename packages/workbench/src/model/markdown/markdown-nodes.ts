/**
 * The parts of a Markdown text. They hold text only: a renderer decides how each is drawn, and none is HTML.
 *
 * @module
 */

/** Text inside a block. */
export type MarkdownInline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "break" }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "math"; readonly tex: string }
  | { readonly kind: "strong" | "emphasis" | "deleted"; readonly children: readonly MarkdownInline[] }
  /** `href` is an `http:`, `https:` or `mailto:` address. */
  | { readonly kind: "link"; readonly href: string; readonly children: readonly MarkdownInline[] }
  /** Never loaded, because a request for a picture can carry data to its server. */
  | { readonly kind: "image"; readonly href: string; readonly alt: string };

/** An entry of a list. */
export interface MarkdownListItem {
  /** Whether the task is done; undefined if it is not a task. */
  readonly checked?: boolean | undefined;
  readonly blocks: readonly MarkdownBlock[];
}

export type MarkdownAlign = "left" | "center" | "right" | undefined;

/** A block of text. */
export type MarkdownBlock =
  | { readonly kind: "paragraph"; readonly children: readonly MarkdownInline[]; readonly isTight: boolean }
  | { readonly kind: "heading"; readonly level: number; readonly children: readonly MarkdownInline[] }
  | { readonly kind: "quote"; readonly blocks: readonly MarkdownBlock[] }
  /** `start` is the first number of an ordered list. */
  | {
      readonly kind: "list";
      readonly start: number | undefined;
      readonly items: readonly MarkdownListItem[];
    }
  | {
      readonly kind: "table";
      readonly align: readonly MarkdownAlign[];
      readonly head: readonly (readonly MarkdownInline[])[];
      readonly rows: readonly (readonly (readonly MarkdownInline[])[])[];
      /** Rows that are left out, because the table is very large. */
      readonly left: number;
    }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "math"; readonly tex: string }
  | { readonly kind: "rule" }
  /** Source that is not interpreted, because it is nested too deeply or too long. */
  | { readonly kind: "plain"; readonly text: string };

/** A block at the top level of a text. */
export interface ParsedBlock {
  readonly block: MarkdownBlock;
  /** The line where it begins, counted from 0, and the line after its end. */
  readonly line: number;
  readonly end: number;
}

/** Link definitions, `[name]: address`, by normalized name. Later texts may use earlier definitions. */
export type MarkdownDefinitions = Record<string, { title: string; href: string }>;

/**
 * Parses a text into blocks. New definitions are added to `definitions`.
 */
export type MarkdownParser = (text: string, definitions: MarkdownDefinitions) => ParsedBlock[];
