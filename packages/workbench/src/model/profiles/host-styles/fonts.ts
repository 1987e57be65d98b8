/**
 * Font rules that hosts send to their apps; docs/profiles.md has the sources. The files stay on the hosts'
 * own servers: a view here loads none of them.
 *
 * @module
 */

const CLAUDE_WEIGHTS = { Regular: 400, Medium: 500, Semibold: 600, Bold: 700 } as const;
const GOOSE_WEIGHTS = { Light: 300, Regular: 400, Medium: 500, Bold: 700 } as const;

const rule = (family: string, src: string, weight: number, style: string): string =>
  `@font-face { font-family: "${family}"; src: ${src}; font-weight: ${weight}; font-style: ${style}; font-display: swap; }`;

/** Anthropic Sans, in four weights, upright and italic. */
export const CLAUDE_FONTS: string = Object.entries(CLAUDE_WEIGHTS)
  .flatMap(([name, weight]) =>
    ["", "Italic"].map((slant) => {
      const file = `https://assets.claude.ai/Fonts/AnthropicSans-Text-${name}${slant}-Static.otf`;
      return rule("Anthropic Sans", `url("${file}") format("opentype")`, weight, slant ? "italic" : "normal");
    }),
  )
  .join("\n");

/** Cash Sans, in four weights. */
export const GOOSE_FONTS: string = Object.entries(GOOSE_WEIGHTS)
  .map(([name, weight]) => {
    const file = (type: string): string =>
      `url("https://cash-f.squarecdn.com/static/fonts/cashsans/${type}/CashSans-${name}.${type}") format("${type}")`;
    return rule("Cash Sans", `${file("woff2")}, ${file("woff")}`, weight, "normal");
  })
  .join("\n");
