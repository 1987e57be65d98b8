/** The attribute of the script for dialects that does not run: the loader writes it before the document. */
export const SHIM_WAITS = ' type="text/plain"';
