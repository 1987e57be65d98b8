/** The global that vitrine.js defines in a page. */
declare const vitrine: typeof import("@vitrine/view");

/** An `App` whose input, result and calls have the tool's types. */
type ViewOf<Name extends keyof Tools> = import("@vitrine/view").TypedApp<Tools, Name>;
/** The tools written in code. Add yours here. */
type Tools = import("@vitrine/server").ToolsOf<[typeof import("./tools/greet/tool.mjs").default]>;
