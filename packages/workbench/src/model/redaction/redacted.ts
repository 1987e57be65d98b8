/** Replaces a redacted value in a recording. */
export const REDACTED = "[redacted]";
