import type { RequestId } from "./mcp.js";

/** Ids longer than this are refused: they are kept while a request runs, and sent back. */
const MAX_LENGTH = 256;

/** Whether this can be the id of a request, or a progress token: short text, or a whole number. */
export const isRequestId = (id: unknown): id is RequestId =>
  typeof id === "string" ? id.length <= MAX_LENGTH : Number.isSafeInteger(id);
