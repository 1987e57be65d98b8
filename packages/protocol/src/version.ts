/** The protocol revision that we speak. */
export const PROTOCOL_VERSION = "2026-01-26";
/** The revisions that we can speak, newest first. */
export const PROTOCOL_VERSIONS: readonly string[] = [PROTOCOL_VERSION, "2025-11-21"];

/**
 * The revision that a host answers `ui/initialize` with: the one that was asked for if we speak it, else our
 * newest (L02, D14). A view that cannot speak that one says so; refusing here would leave it blank.
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
