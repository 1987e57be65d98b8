/**
 * Programs on the PATH.
 *
 * @module
 */
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import type { Surroundings } from "./config-places.js";

/** The path of a program, found like in a shell; undefined if there is none. */
export async function onPath(
  name: string,
  { cwd, env }: Pick<Surroundings, "cwd" | "env">,
): Promise<string | undefined> {
  const places = /[\\/]/.test(name)
    ? [resolve(cwd, name)]
    : (env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, name));
  for (const place of places) {
    if (
      await access(place, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return place;
  }
  return undefined;
}
