/**
 * Variables from files, such as those of Docker secrets, Kubernetes secrets and systemd credentials: the
 * variable `VITRINE_KEY_FILE` names a file with the value of `VITRINE_KEY`.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { GatewayError } from "@vitrine/wire";

const NAMES_A_FILE = /^(VITRINE_[A-Z0-9_]+)_FILE$/;

/**
 * Sets `VITRINE_X` to the text of the file that `VITRINE_X_FILE` names, for each such variable. Commands call it
 * before they read settings. Only variables that begin with `VITRINE_` are meant for this program:
 * `SSL_CERT_FILE`, for example, is not.
 *
 * @throws {GatewayError} `config-invalid`
 * @example
 * ```ts source="./config.examples.ts#readVariableFiles"
 * const env = { VITRINE_KEY_FILE: key };
 * readVariableFiles(env); // env is now { VITRINE_KEY: "<text of the file>" }
 * ```
 */
export function readVariableFiles(env: Record<string, string | undefined> = process.env): void {
  for (const [variable, file] of Object.entries(env)) {
    const [, name] = NAMES_A_FILE.exec(variable) ?? [];
    if (name === undefined || file === undefined) continue;
    if (env[name] !== undefined) {
      throw new GatewayError("config-invalid", `${name} and ${variable} are both set; remove one of them`);
    }
    // Editors and `echo` end a file with a line break.
    const value = textOf(file, variable).replace(/\r?\n$/, "");
    if (value === "") throw new GatewayError("config-invalid", `${variable}: ${file} is empty`);
    env[name] = value;
    // Read once: a program that this process starts has no use for the path.
    delete env[variable];
  }
}

function textOf(file: string, variable: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const { message } = cause as Error;
    throw new GatewayError("config-invalid", `${variable}: the file cannot be read: ${message}`, { cause });
  }
}
