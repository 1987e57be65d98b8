/** What vitrine.js defines in the page. */
declare const vitrine: typeof import("@vitrine/view");

/** The page's end of a tool: its input and its result have the types of the tool. */
type ViewOf<Name extends keyof Tools> = import("@vitrine/view").TypedApp<Tools, Name>;
type Tools = import("./app.js").Tools;
