/** What vitrine.js defines in a page. */
declare const vitrine: typeof import("@vitrine/view");

/** A page's end of a tool: its input and its result have the types of the tool. */
type ViewOf<Name extends keyof Tools> = import("@vitrine/view").TypedApp<Tools, Name>;
/** The tools that are modules: add yours. */
type Tools = import("@vitrine/server").ToolsOf<[typeof import("./tools/greet/tool.mjs").default]>;
