/**
 * The built-in demo servers: for a first look, and to test a host. Their sources are in `examples/demos`.
 *
 * @module
 */

/** A demo server: a program that speaks MCP over stdio, run as `node <file>`. */
export interface Demo {
  readonly name: string;
  readonly title: string;
  readonly file: URL;
}

const demo = (name: string, title: string): Demo => ({
  name,
  title,
  file: new URL(`./demos/${name}.js`, import.meta.url),
});

/** All demos, the introductory one first. */
export const DEMOS: readonly Demo[] = [
  demo("weather", "Weather"),
  demo("board", "To-do board"),
  demo("lab", "Laboratory"),
];
