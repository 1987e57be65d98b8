/**
 * The demo servers that come with the command: for a first look, and for looking at a host.
 *
 * @module
 */

/** A demo server: a program that speaks MCP by stdio, run as `node <file>`. */
export interface Demo {
  readonly name: string;
  readonly title: string;
  readonly file: URL;
}

const demo = (name: string, title: string): Demo => ({
  name,
  title,
  file: new URL(`./${name}.js`, import.meta.url),
});

/** All of them, the one to begin with first. */
export const DEMOS: readonly Demo[] = [
  demo("weather", "Weather"),
  demo("board", "To-do board"),
  demo("lab", "Laboratory"),
];
