/**
 * The project templates of `vitrine new`, made of files in `templates/`.
 *
 * @module
 */

/** A folder of `templates/`, and its location in the project. */
export interface TemplatePart {
  readonly from: string;
  /** The project's root by default. */
  readonly to?: string | undefined;
}

/** The parts of a project. No two contain the same file. */
export interface ProjectTemplate {
  /** Description for users. */
  readonly about: string;
  readonly parts: readonly TemplatePart[];
  /** Folders of pages without a build: they get the view's runtime as a file. */
  readonly pages: readonly string[];
}

const EVERY: TemplatePart = { from: "every" };
const PLAIN: TemplatePart = { from: "plain" };
const SERVING: TemplatePart = { from: "serving" };
const GREETING: TemplatePart = { from: "greeting" };
const styleIn = (to: string): TemplatePart => ({ from: "style", to });

/**
 * The server is in a separate folder that `vitrine dev` watches, so that a change of the page needs no
 * restart.
 */
const built = (name: string, about: string): ProjectTemplate => ({
  about,
  parts: [
    EVERY,
    ...[SERVING, GREETING].map((part) => ({ ...part, to: "server" })),
    { from: "built" },
    styleIn("src"),
    { from: name },
  ],
  pages: [],
});

/** All templates by the value of `--template`. */
export const PROJECT_TEMPLATES: ReadonlyMap<string, ProjectTemplate> = new Map([
  [
    "html",
    {
      about: "a page in plain HTML, without a build",
      parts: [EVERY, PLAIN, SERVING, GREETING, { from: "html" }, styleIn("view")],
      pages: ["view"],
    },
  ],
  ["react", built("react", "a page with React, built by Vite")],
  ["vue", built("vue", "a page with Vue, built by Vite")],
  ["svelte", built("svelte", "a page with Svelte, built by Vite")],
  [
    "json-template",
    {
      about: "a ready-made page and its configuration",
      parts: [EVERY, PLAIN, SERVING, { from: "json-template" }],
      pages: [],
    },
  ],
  [
    "discovery",
    {
      about: "tools and views found in folders",
      parts: [
        EVERY,
        PLAIN,
        { from: "discovery" },
        { from: "html/view", to: "tools/greet/ui" },
        styleIn("tools/greet/ui"),
      ],
      pages: ["tools/greet/ui"],
    },
  ],
]);

/** The default template. */
export const DEFAULT_TEMPLATE = "html";
