import type { Listener } from "./channel.js";
import { INVALID_PARAMS, VitrineError } from "./errors.js";
import { decodeParams, decodeResult } from "./messages.js";
import type {
  NotificationFrom,
  NotificationMethod,
  OtherSide,
  Params,
  RequestFrom,
  RequestMethod,
  Result,
  Side,
} from "./methods.js";
import { type Handler, Peer, type RequestOptions } from "./peer.js";
import type { Decoded } from "./schema.js";

/**
 * A {@link Peer} that trusts nobody: params of what arrives and results of what it asked for are checked by
 * the method table before anyone sees them. Bad params of a request are refused with -32602 and the field
 * that is wrong; bad params of a notification are reported; a bad result rejects with code `invalid`.
 * What the wild gets wrong but clearly means is read as meant (part T).
 *
 * @example
 * ```ts source="./protocol.examples.ts#checkedPeer"
 * ```
 */
export class CheckedPeer<S extends Side = Side> extends Peer<S> {
  override async request<M extends RequestFrom<S>>(
    method: M,
    params: Params<M>,
    options?: RequestOptions,
  ): Promise<Result<M>> {
    const result = decodeResult(method as RequestMethod, await super.request(method, params, options));
    if (!result.ok) throw new VitrineError("invalid", `${method}: ${result.message}`);
    return result.value as Result<M>;
  }

  override handle<M extends RequestFrom<OtherSide<S>>>(method: M, handler: Handler<M>): () => void {
    return super.handle(method, (params, context) => {
      const decoded = decodeParams(method as RequestMethod, params) as Decoded<Params<M>>;
      if (!decoded.ok)
        throw new VitrineError(INVALID_PARAMS, decoded.message, { data: { field: decoded.field } });
      return handler(decoded.value, context);
    });
  }

  override on<M extends NotificationFrom<OtherSide<S>>>(method: M, listener: Listener<M>): () => void {
    return super.on(method, (params) => {
      const decoded = decodeParams(method as NotificationMethod, params) as Decoded<Params<M>>;
      if (decoded.ok) return listener(decoded.value);
      this.report("invalid", `${method}: ${decoded.message}`);
      return undefined;
    });
  }
}
