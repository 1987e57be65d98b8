/**
 * The `secret` command: stores secrets for the settings.
 *
 * @module
 */
import { text as allText } from "node:stream/consumers";
import { openSecrets, type SecretStore, secretKey } from "@vitrine/servers";
import { GatewayError } from "@vitrine/wire";
import { readDataFolder, readText } from "../config/read.js";
import { readVariableFiles } from "../config/variable-files.js";
import { type CommandLine, readOptions } from "./settings.js";

/**
 * Runs `set NAME`, `delete NAME` or `rotate`; returns the exit code. The secret comes from stdin, because every user of
 * the machine can read arguments.
 *
 * @throws {GatewayError} `config-invalid`
 */
export async function secretCommand(
  [what, name = ""]: readonly string[],
  line: CommandLine,
): Promise<number> {
  const isNamed = /^(set|delete)$/.test(`${what}`) && /^[A-Za-z0-9._-]{1,64}$/.test(name);
  if (!isNamed && !(what === "rotate" && name === ""))
    throw new GatewayError(
      "config-invalid",
      "secret: use set NAME with the secret on stdin, delete NAME, or rotate",
    );
  readVariableFiles();
  const text = line.config === undefined ? "{}" : await readText(line.config);
  const { overrides } = readOptions(line);
  const dataFolder = await readDataFolder(text, { file: line.config, overrides });
  if (line.join === undefined) {
    if (what === "rotate")
      throw new GatewayError(
        "config-invalid",
        "secret rotate: only several nodes can replace their master key: name their database with --join postgres://…",
      );
    return changeSecret(what, name, await openSecrets({ folder: dataFolder }));
  }
  // Loaded on demand, with the database's driver.
  const { withNodeSecrets, rotateMasterKey } = await import("./node-secrets.js");
  const place = { database: line.join, dataFolder };
  return what === "rotate"
    ? rotateMasterKey(place)
    : withNodeSecrets(place, (secrets) => changeSecret(what, name, secrets));
}

async function changeSecret(what: string | undefined, name: string, secrets: SecretStore): Promise<number> {
  if (what === "delete") {
    const was = await secrets.delete(secretKey(name));
    process.stdout.write(was ? `${name} was deleted\n` : `${name} did not exist\n`);
    return was ? 0 : 1;
  }
  const value = (await allText(process.stdin)).replace(/\r?\n$/, "");
  if (!value) throw new GatewayError("config-invalid", "secret set: stdin is empty");
  await secrets.set(secretKey(name), value);
  process.stdout.write(`${name} saved\n`);
  return 0;
}
