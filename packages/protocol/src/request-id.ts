import type { RequestId } from "./mcp.js";

/** Maximum length of an id: ids are kept while a request runs, and sent back. */
const MAX_LENGTH = 256;

/** Whether this is a valid request id or progress token: a short string or an integer. */
export const isRequestId = (id: unknown): id is RequestId =>
  typeof id === "string" ? id.length <= MAX_LENGTH : Number.isSafeInteger(id);
