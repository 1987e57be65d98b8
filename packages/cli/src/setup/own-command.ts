/**
 * The command that runs Vitrine again, in another terminal.
 *
 * @module
 */
import type { Surroundings } from "../config-places.js";

/** Words that run Vitrine. */
export interface OwnCommand {
  readonly words: readonly string[];
  /** The only folder where they work; undefined for any. */
  readonly folder?: string | undefined;
}

const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  npm: ["npx"],
  pnpm: ["pnpm", "exec"],
  yarn: ["yarn"],
  bun: ["bunx"],
};

/**
 * The command by which this process can be started again. A package manager puts `vitrine` on the PATH of its own
 * scripts alone: `npm start` in a clone, `npx vitrine`, a script of a project.
 */
export function ownCommand({ cwd, env }: Pick<Surroundings, "cwd" | "env">): OwnCommand {
  if (env["npm_lifecycle_event"] === undefined) return { words: ["vitrine"] };
  const [manager = "npm"] = (env["npm_config_user_agent"] ?? "").split("/");
  const runner = Object.hasOwn(RUNNERS, manager) ? RUNNERS[manager] : RUNNERS["npm"];
  return { words: [...(runner ?? []), "vitrine"], folder: cwd };
}
