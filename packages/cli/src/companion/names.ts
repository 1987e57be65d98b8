/**
 * The names under which an agent calls the tools of several servers, and of apps.
 *
 * @module
 */
import { createHash } from "node:crypto";

/** Characters of a name: no provider of models takes more. */
const MAX_NAME = 64;
/** Between a server, or an app, and its tool. */
const BETWEEN = "__";

/**
 * The name of a server's tool: `server__tool`, of letters, digits, `_` and `-`. It depends on nothing else, so it stays the
 * same whatever other servers there are. What cannot be written so, or could be read as another tool, ends with a hash.
 *
 * @example
 * ```ts source="./companion.examples.ts#toolName"
 * const name = toolName("weather", "forecast");
 * // name is "weather__forecast"
 * ```
 */
export function toolName(server: string, tool: string): string {
  // "a__b" with "c" and "a" with "b__c" must differ; and no server passes for an app.
  const isPlain =
    !server.includes(BETWEEN) && !server.endsWith("_") && !tool.startsWith("_") && !/^app_\d+$/i.test(server);
  return fitting(`${server}${BETWEEN}${tool}`, isPlain, `${server}\n${tool}`);
}

/** The name of a tool of the app with this number. */
export const appToolName = (app: number, tool: string): string =>
  fitting(`app_${app}${BETWEEN}${tool}`, !tool.startsWith("_"), `app\n${app}\n${tool}`);

/** Whether a name is one of an app's tools, whether it is open or not. */
export const isAppToolName = (name: string): boolean => /^app_\d+__/.test(name);

function fitting(whole: string, isPlain: boolean, key: string): string {
  const name = whole.replace(/[^\w-]/g, "_");
  if (isPlain && name === whole && name.length <= MAX_NAME) return name;
  const mark = createHash("sha256").update(key).digest("hex").slice(0, 8);
  return `${name.slice(0, MAX_NAME - 1 - mark.length)}_${mark}`;
}
