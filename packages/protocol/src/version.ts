/** The protocol revision that we speak. */
export const PROTOCOL_VERSION = "2026-01-26";
/** The revisions that we can speak, newest first. */
export const PROTOCOL_VERSIONS: readonly string[] = [PROTOCOL_VERSION, "2025-11-21"];
