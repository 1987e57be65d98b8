/**
 * The state that a node shares with the others: in the database, instead of files.
 *
 * @module
 */
import { join } from "node:path";
import type { ModelChoiceStore } from "@vitrine/conversation";
import { createMasterKey, type MasterKey, readMasterKeys, type SharedTokens } from "@vitrine/servers";
import { readPrivate } from "@vitrine/servers/support";
import type { GatewaySettings } from "../config/config.js";
import type { Log } from "../http/logging.js";
import { SharedChanges } from "../store/shared/changes.js";
import { hasKeyState } from "../store/shared/key-state.js";
import { openShared, type SharedDatabase } from "../store/shared/open-shared.js";
import { SANDBOX_KEY, SIGN_IN_KEY, sharedKey } from "../store/shared/shared-key.js";
import { SharedValue } from "../store/shared/shared-value.js";
import { StoredDocuments } from "../store/shared/stored-documents.js";
import { StoredLeases } from "../store/shared/stored-leases.js";
import { StoredSecrets } from "../store/shared/stored-secrets.js";
import { StoredSignIns } from "../store/shared/stored-sign-ins.js";
import type { NodeOptions } from "./options.js";

/** In `vitrine_state`: the selected model. */
const MODEL_CHOICE = "model-choice";

/** The shared state of a node. */
export interface SharedState {
  readonly database: SharedDatabase;
  readonly changes: SharedChanges;
  readonly secrets: StoredSecrets;
  readonly signIns: StoredSignIns;
  readonly tokens: SharedTokens;
  readonly documents: StoredDocuments;
  /** With the same one on every node, apps have the same origins. */
  readonly sandboxSecret: string;
  readonly modelChoice: ModelChoiceStore;
  close(): Promise<void>;
}

/** The file of the master key. */
export const keyFileOf = (dataFolder: string, { keyFile }: NodeOptions): string =>
  keyFile ?? join(dataFolder, "secrets.key");

/**
 * Opens the shared state. The first node may create its master key in a file; others need the same one.
 *
 * @throws {GatewayError} `config-invalid`
 */
export async function openSharedState(
  { database: url, dataFolder }: Pick<GatewaySettings, "database" | "dataFolder">,
  node: NodeOptions,
  log: Pick<Log, "error" | "warn">,
): Promise<SharedState> {
  const database = await openShared(url);
  const onerror = (error: unknown): void => log.error({ err: error }, "the state of the nodes");
  let changes: SharedChanges | undefined;
  try {
    const keys = await masterKeys(database, keyFileOf(dataFolder, node), log);
    const secrets = await StoredSecrets.open(database, keys);
    // Apps of a gateway that was alone keep their origins, and so their storage.
    const own = (await readPrivate(join(dataFolder, "sandbox.key")))?.trim();
    const sandboxSecret = await sharedKey(secrets, SANDBOX_KEY, own);
    const signInKey = await sharedKey(secrets, SIGN_IN_KEY);
    const followed = await SharedChanges.open(database, { onerror });
    changes = followed;
    return {
      database,
      changes: followed,
      secrets,
      signIns: new StoredSignIns(database, followed, signInKey),
      tokens: { secrets, leases: new StoredLeases(database) },
      documents: new StoredDocuments(database, { key: sandboxSecret, onerror }),
      sandboxSecret,
      modelChoice: new SharedValue(database, followed, MODEL_CHOICE),
      close: async () => {
        await followed.close();
        await database.close();
      },
    };
  } catch (error) {
    await changes?.close();
    await database.close();
    throw error;
  }
}

async function masterKeys(
  database: SharedDatabase,
  file: string,
  log: Pick<Log, "warn">,
): Promise<readonly MasterKey[]> {
  const keys = await readMasterKeys({ file });
  if (keys.length > 0 || (await hasKeyState(database))) return keys;
  const made = await createMasterKey(file);
  log.warn({ file, keyId: made.id }, "a master key was created: other nodes need a copy of this file");
  return [made];
}
