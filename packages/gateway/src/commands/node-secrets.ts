/**
 * The `secret` command for the secrets of several nodes.
 *
 * @module
 */
import { readMasterKeys, type SecretStore } from "@vitrine/servers";
import { keyFileOf } from "../gateway/shared-state.js";
import { openShared } from "../store/shared/open-shared.js";
import { rotateSecrets } from "../store/shared/secret-rotation.js";
import { StoredSecrets } from "../store/shared/stored-secrets.js";
import { nodeOptions } from "./join.js";

/** Where the secrets and their keys are. */
interface Place {
  readonly database: string;
  readonly dataFolder: string;
}

const keysOf = ({ dataFolder }: Place) => readMasterKeys({ file: keyFileOf(dataFolder, nodeOptions({})) });

/** Opens the secrets for a piece of work. */
export async function withNodeSecrets<T>(
  place: Place,
  work: (secrets: SecretStore) => Promise<T>,
): Promise<T> {
  const database = await openShared(place.database);
  try {
    return await work(await StoredSecrets.open(database, await keysOf(place)));
  } finally {
    await database.close();
  }
}

/** Runs `rotate`; returns the exit code. */
export async function rotateMasterKey(place: Place): Promise<number> {
  const database = await openShared(place.database);
  try {
    const { damaged, keyId, rewrapped } = await rotateSecrets(database, await keysOf(place));
    const secrets = rewrapped === 1 ? "1 secret uses" : `${rewrapped} secrets use`;
    process.stdout.write(`${secrets} the master key ${keyId} now\n`);
    if (damaged.length === 0) {
      process.stdout.write("No secret uses another key any more: remove the old one from every node.\n");
      return 0;
    }
    const names = damaged.map((name) => JSON.stringify(name)).join(", ");
    process.stderr.write(
      `These secrets are damaged: ${names}. Store them again or delete them, and rotate again before you remove the old key.\n`,
    );
    return 1;
  } finally {
    await database.close();
  }
}
