import type { Schema } from "./schema.js";

/** One end of the wire. */
export type Side = "view" | "host";

/**
 * What one end of the wire checks, by method. It never checks its own words, so each end needs only its part of the
 * method table: `HOST_END` is a host's, `VIEW_END` a view's.
 */
export interface End<S extends Side = Side> {
  readonly side: S;
  /** Params of the requests that it serves. */
  readonly requests: Shapes;
  /** Params of the notifications that it hears. */
  readonly notifications: Shapes;
  /** Results of the requests that it sends. */
  readonly results: Shapes;
}

/** Shapes by the name of their method. */
export type Shapes = { readonly [method: string]: Schema };
