/**
 * Names that become part of addresses.
 *
 * @module
 */
import { DefinitionError } from "./errors.js";

/** @throws {DefinitionError} `name-invalid` */
export function checkName(name: string, what: string): void {
  if (/^[A-Za-z0-9][\w.-]{0,99}$/.test(name) && !name.includes("..")) return;
  throw new DefinitionError(
    "name-invalid",
    `a ${what} cannot be named ${JSON.stringify(name)}: use 1 to 100 letters, digits, "-", "_" and ".", starting with a letter or digit`,
  );
}
