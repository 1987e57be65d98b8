import type { Handler } from "./channel.js";
import type { End, Shapes, Side } from "./end.js";
import { INVALID_PARAMS, VitrineError } from "./errors.js";
import type { OtherSide, Params, RequestFrom, Result } from "./methods.js";
import { Peer, type RequestContext, type RequestOptions } from "./peer.js";
import { type Decoded, decode, type Schema, unknown } from "./schema.js";
import { decodeAsMeant } from "./tolerance.js";

/**
 * A {@link Peer} that trusts nobody: params of what arrives and results of what it asked for are checked by
 * its end of the method table before anyone sees them. Bad params of a request are refused with -32602 and the field
 * that is wrong; bad params of a notification are reported; a bad result rejects with code `invalid`.
 * What the wild gets wrong but clearly means is read as meant (part T).
 *
 * @example
 * ```ts source="./protocol.examples.ts#checkedPeer"
 * const peer = new CheckedPeer(HOST_END);
 * peer.onreport = ({ code, message }) => log(`${code}: ${message}`);
 * peer.handle("ui/open-link", ({ url }) => {
 *   // `url` is a string: anything else was refused with -32602 and the name of the field.
 *   return { isError: !url.startsWith("https://") };
 * });
 * peer.open(transport);
 * ```
 */
export class CheckedPeer<S extends Side> extends Peer<S> {
  readonly #end: End<S>;
  readonly #handled = new Set<string>();

  /** @param end which end this is: `HOST_END` or `VIEW_END` */
  constructor(end: End<S>) {
    super();
    this.#end = end;
  }

  override async request<M extends RequestFrom<S>>(
    method: M,
    params: Params<M>,
    options?: RequestOptions,
  ): Promise<Result<M>> {
    const result = await super.request(method, params, options);
    const decoded = decode(shapeOf(method, this.#end.results), result, "result");
    if (!decoded.ok) throw new VitrineError("invalid", `${method}: ${decoded.message}`);
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
      const decoded = decodeAsMeant(method, params, shapeOf(method, this.#end.requests)) as Decoded<
        Params<M>
      >;
      if (decoded.ok) return handler(decoded.value, context);
      throw new VitrineError(INVALID_PARAMS, decoded.message, { data: { field: decoded.field } });
    });
    return () => {
      if (!remove()) return;
      this.#handled.delete(method);
      // L10: there is always an answer to it.
      if (method === "ping") super.handle("ping" as M, () => ({}) as Result<M>);
    };
  }

  protected override notified(method: string, params: Record<string, unknown>): void {
    const decoded = decodeAsMeant(method, params, shapeOf(method, this.#end.notifications));
    if (decoded.ok) super.notified(method, decoded.value as Record<string, unknown>);
    else this.report("invalid", `${method}: ${decoded.message}`);
  }
}

/** A name that is not in the table is an extension's: there is no shape to check it by. */
const shapeOf = (method: string, shapes: Shapes): Schema =>
  (Object.hasOwn(shapes, method) && shapes[method]) || unknown;
