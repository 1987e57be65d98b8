/**
 * The `secret` command: stores secrets for the settings.
 *
 * @module
 */
import { text as allText } from "node:stream/consumers";
import { openSecrets, secretKey } from "@vitrine/servers";
import { GatewayError } from "@vitrine/wire";
import { readDataFolder, readText } from "../config/read.js";
import { type CommandLine, readOptions } from "./settings.js";

/**
 * Runs `set NAME` or `delete NAME`; returns the exit code. The secret comes from stdin, because every user of
 * the machine can read arguments.
 *
 * @throws {GatewayError} `config-invalid`
 */
export async function secretCommand(
  [what, name = ""]: readonly string[],
  line: CommandLine,
): Promise<number> {
  if (!/^(set|delete)$/.test(`${what}`) || !/^[A-Za-z0-9._-]{1,64}$/.test(name)) {
    throw new GatewayError("config-invalid", "secret: use set NAME with the secret on stdin, or delete NAME");
  }
  const text = line.config === undefined ? "{}" : await readText(line.config);
  const { overrides } = readOptions(line);
  const dataFolder = await readDataFolder(text, { file: line.config, overrides });
  const secrets = await openSecrets({ folder: dataFolder });
  if (what === "delete") {
    const was = await secrets.delete(secretKey(name));
    process.stdout.write(was ? `${name} was deleted\n` : `${name} did not exist\n`);
    return was ? 0 : 1;
  }
  const value = (await allText(process.stdin)).replace(/\r?\n$/, "");
  if (!value) throw new GatewayError("config-invalid", "secret set: stdin is empty");
  await secrets.set(secretKey(name), value);
  process.stdout.write(`${name} is kept\n`);
  return 0;
}
