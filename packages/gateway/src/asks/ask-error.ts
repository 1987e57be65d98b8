/**
 * Errors for servers and views that ask the user or the model.
 *
 * @module
 */
import { INTERNAL_ERROR, INVALID_PARAMS, VitrineError } from "@vitrine/protocol";

/** The MCP error code of a sampling request that the user rejected. */
export const USER_REJECTED = -1;

/** The user rejected the request. */
export const rejected = (cause?: unknown): VitrineError =>
  new VitrineError(USER_REJECTED, "User rejected sampling request", { cause, data: { code: "denied" } });

/** The request is malformed. */
export const invalid = (message: string): VitrineError => new VitrineError(INVALID_PARAMS, message);

/** The page's answer is malformed, which is not the fault of the requester. */
export const unusable = (message: string): VitrineError =>
  new VitrineError(INTERNAL_ERROR, `the page's answer is unusable: ${message}`);
