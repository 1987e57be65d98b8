/**
 * The origins of the gateway's apps.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { readPrivate, writePrivate } from "@vitrine/servers/support";

/**
 * The sandbox secret, stored in a file. With another one, every app would have new origins and empty storage.
 */
export async function sandboxSecret(folder: string): Promise<string> {
  const file = join(folder, "sandbox.key");
  const kept = await readPrivate(file);
  if (kept) return kept.trim();
  await writePrivate(file, `${randomBytes(32).toString("hex")}\n`, true);
  // If another gateway was faster, its secret counts.
  return (await readPrivate(file))?.trim() ?? "";
}

/** The frames of all apps, as a source in a page's policy. */
export function frameSource(pattern: string | undefined, port: number): string {
  if (pattern === undefined) return `http://*.localhost:${port}`;
  // All apps on one host.
  if (!pattern.includes("{")) return new URL(pattern).origin;
  const { protocol, host } = new URL(pattern.replace("{role}", "role").replace("{label}", "label"));
  return `${protocol}//*.${host
    .split(".")
    .slice(pattern.includes("{role}.{label}") ? 2 : 1)
    .join(".")}`;
}
