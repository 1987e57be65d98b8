/** The newest protocol revision that we support. */
export const PROTOCOL_VERSION = "2026-01-26";
/** All supported revisions, newest first. */
export const PROTOCOL_VERSIONS: readonly string[] = [PROTOCOL_VERSION, "2025-11-21"];

/**
 * Chooses the revision for the host's answer to `ui/initialize`: the requested one if we support it, else our
 * newest. A view that does not support that one reports it; a refusal would leave the view blank.
 *
 * @example
 * ```ts source="./protocol.examples.ts#negotiateVersion"
 * const known = negotiateVersion("2025-11-21"); // "2025-11-21"
 * const unknown = negotiateVersion("2099-01-01"); // "2026-01-26", our newest
 * ```
 */
export function negotiateVersion(asked: unknown): string {
  return PROTOCOL_VERSIONS.includes(asked as string) ? (asked as string) : PROTOCOL_VERSION;
}
