/** The global that vitrine.js defines in the page. */
declare const vitrine: typeof import("@vitrine/view");

/** An `App` whose input, result and calls have the tool's types. */
type ViewOf<Name extends keyof Tools> = import("@vitrine/view").TypedApp<Tools, Name>;
type Tools = import("./app.js").Tools;
