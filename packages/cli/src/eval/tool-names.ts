/**
 * Names of tools in an eval file: `server/tool`.
 *
 * @module
 */

/** A tool of a server, or of one of its apps. */
export interface EvalTool {
  readonly server: string;
  readonly tool: string;
}

/** The name of a tool in an eval file. */
export const nameOf = ({ server, tool }: EvalTool): string => `${server}/${tool}`;

/** Whether a name is meant: by `server/tool`, `server/*`, or `*`. */
export function isMeant(pattern: string, { server, tool }: EvalTool): boolean {
  return pattern === "*" || pattern === `${server}/*` || pattern === `${server}/${tool}`;
}
