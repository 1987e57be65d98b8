import type { Handler } from "./channel.js";
import { INVALID_PARAMS, VitrineError } from "./errors.js";
import { decodeParams, decodeResult } from "./messages.js";
import {
  NOTIFICATIONS,
  type NotificationMethod,
  type OtherSide,
  type Params,
  REQUESTS,
  type RequestFrom,
  type RequestMethod,
  type Result,
  type Side,
} from "./methods.js";
import { Peer, type RequestContext, type RequestOptions } from "./peer.js";
import type { Decoded } from "./schema.js";

/**
 * A {@link Peer} that trusts nobody: params of what arrives and results of what it asked for are checked by
 * the method table before anyone sees them. Bad params of a request are refused with -32602 and the field
 * that is wrong; bad params of a notification are reported; a bad result rejects with code `invalid`.
 * What the wild gets wrong but clearly means is read as meant (part T).
 *
 * @example
 * ```ts source="./protocol.examples.ts#checkedPeer"
 * const peer = new CheckedPeer<"host">();
 * peer.onreport = ({ code, message }) => log(`${code}: ${message}`);
 * peer.handle("ui/open-link", ({ url }) => {
 *   // `url` is a string: anything else was refused with -32602 and the name of the field.
 *   return { isError: !url.startsWith("https://") };
 * });
 * peer.open(transport);
 * ```
 */
export class CheckedPeer<S extends Side = Side> extends Peer<S> {
  readonly #handled = new Set<string>();

  override async request<M extends RequestFrom<S>>(
    method: M,
    params: Params<M>,
    options?: RequestOptions,
  ): Promise<Result<M>> {
    const result = await super.request(method, params, options);
    const decoded = isKnown(REQUESTS, method) ? decodeResult(method as RequestMethod, result) : undefined;
    if (decoded?.ok === false) throw new VitrineError("invalid", `${method}: ${decoded.message}`);
    return result;
  }

  /**
   * As {@link Channel.handle}, but a handler is never replaced unseen (D2).
   *
   * @throws {VitrineError} `duplicate-handler`
   */
  override handle<M extends RequestFrom<OtherSide<S>>>(
    method: M,
    handler: Handler<M, RequestContext>,
  ): () => void {
    if (this.#handled.has(method)) {
      throw new VitrineError("duplicate-handler", `${method} has a handler: remove it first`);
    }
    this.#handled.add(method);
    const remove = super.handle(method, (params, context) => {
      if (!isKnown(REQUESTS, method)) return handler(params, context);
      const decoded = decodeParams(method as RequestMethod, params) as Decoded<Params<M>>;
      if (decoded.ok) return handler(decoded.value, context);
      throw new VitrineError(INVALID_PARAMS, decoded.message, { data: { field: decoded.field } });
    });
    let removed = false;
    return () => {
      if (removed) return;
      removed = true;
      this.#handled.delete(method);
      remove();
      // L10: there is always an answer to it.
      if (method === "ping") super.handle("ping" as M, () => ({}) as Result<M>);
    };
  }

  protected override notified(method: string, params: Record<string, unknown>): void {
    const decoded = isKnown(NOTIFICATIONS, method)
      ? (decodeParams(method as NotificationMethod, params) as Decoded<Record<string, unknown>>)
      : { ok: true as const, value: params };
    if (decoded.ok) super.notified(method, decoded.value);
    else this.report("invalid", `${method}: ${decoded.message}`);
  }
}

/** A name that is not in the table is an extension's: there is no shape to check it by. */
const isKnown = (table: object, method: string): boolean => Object.hasOwn(table, method);
