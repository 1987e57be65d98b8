import type { Shape } from "./schema.js";

/** A side of a connection. */
export type Side = "view" | "host";

/**
 * Shapes that one side checks, by method. A side never checks its own messages, so it needs only its part of
 * the method table: `HOST_END` for a host, `VIEW_END` for a view.
 */
export interface End<S extends Side = Side> {
  readonly side: S;
  /** Params of the requests that it handles. */
  readonly requests: Shapes;
  /** Params of the notifications that it receives. */
  readonly notifications: Shapes;
  /** Results of the requests that it sends. */
  readonly results: Shapes;
}

/** Shapes by method name. */
export type Shapes = { readonly [method: string]: Shape };
