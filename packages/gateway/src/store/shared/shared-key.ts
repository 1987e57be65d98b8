/**
 * Keys that all nodes share, and that nobody else knows.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import type { SharedSecretStore } from "@vitrine/servers";

/** The names of the keys among the secrets. */
export const SANDBOX_KEY = "shared/sandbox";
export const SIGN_IN_KEY = "shared/sign-in";

/**
 * A key of the nodes, created by the first node that needs it.
 *
 * @param own the key of a gateway that was alone before, and becomes the first node
 */
export async function sharedKey(secrets: SharedSecretStore, name: string, own?: string): Promise<string> {
  const found = await secrets.get(name);
  if (found !== undefined) return found;
  const made = own ?? randomBytes(32).toString("hex");
  // If another node was faster, its key counts.
  if (await secrets.replace(name, made, undefined)) return made;
  return sharedKey(secrets, name);
}
