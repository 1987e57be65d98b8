/** What stands in place of a value that was taken out of a recording. */
export const REDACTED = "[redacted]";
