/**
 * Names under which an agent calls the tools of servers and apps.
 *
 * @module
 */
import { createHash } from "node:crypto";

/** Maximum length of a name: the limit of model providers. */
const MAX_NAME = 64;
/** Separator of server (or app) and tool. */
const BETWEEN = "__";

/**
 * The name of a server's tool: `server__tool`, with letters, digits, `_` and `-`. It depends on nothing else,
 * so it stays the same whatever other servers there are. A name that does not fit or is ambiguous ends with a
 * hash.
 *
 * @example
 * ```ts source="./companion.examples.ts#toolName"
 * const name = toolName("weather", "forecast");
 * // name is "weather__forecast"
 * ```
 */
export function toolName(server: string, tool: string): string {
  // "a__b" with "c" and "a" with "b__c" must differ, and no server may look like an app.
  const isPlain =
    !server.includes(BETWEEN) && !server.endsWith("_") && !tool.startsWith("_") && !/^app_\d+$/i.test(server);
  return fitting(`${server}${BETWEEN}${tool}`, isPlain, `${server}\n${tool}`);
}

/** The name of an app's tool. */
export const appToolName = (app: number, tool: string): string =>
  fitting(`app_${app}${BETWEEN}${tool}`, !tool.startsWith("_"), `app\n${app}\n${tool}`);

/** Whether a name is that of an app's tool, open or not. */
export const isAppToolName = (name: string): boolean => /^app_\d+__/.test(name);

function fitting(whole: string, isPlain: boolean, key: string): string {
  const name = whole.replace(/[^\w-]/g, "_");
  if (isPlain && name === whole && name.length <= MAX_NAME) return name;
  const mark = createHash("sha256").update(key).digest("hex").slice(0, 8);
  return `${name.slice(0, MAX_NAME - 1 - mark.length)}_${mark}`;
}
