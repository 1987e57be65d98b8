/**
 * Compares settings.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import type { GatewaySettings } from "./config.js";

/** The settings that differ, by name. Their values may be secrets. */
export function changedKeys(before: GatewaySettings, after: GatewaySettings): string[] {
  const text = ({ servers, ...others }: GatewaySettings, key: string): string =>
    JSON.stringify(key === "servers" ? [...servers] : recordOf(others)[key]) ?? "";
  return Object.keys(after).filter((key) => text(before, key) !== text(after, key));
}
