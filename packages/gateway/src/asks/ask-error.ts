/**
 * What those who ask are told.
 *
 * @module
 */
import { INTERNAL_ERROR, INVALID_PARAMS, VitrineError } from "@vitrine/protocol";

/** MCP: the person does not want their model asked. */
export const USER_REJECTED = -1;

/** The person said no. */
export const rejected = (cause?: unknown): VitrineError =>
  new VitrineError(USER_REJECTED, "User rejected sampling request", { cause, data: { code: "denied" } });

/** What was asked does not have the form that it must have. */
export const invalid = (message: string): VitrineError => new VitrineError(INVALID_PARAMS, message);

/** The page answered, but not so that its answer could be used: that is not the fault of who asks. */
export const unusable = (message: string): VitrineError =>
  new VitrineError(INTERNAL_ERROR, `the page's answer cannot be used: ${message}`);
