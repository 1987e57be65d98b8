import type { Handler } from "./channel.js";
import type { End, Shapes, Side } from "./end.js";
import { INVALID_PARAMS, VitrineError } from "./errors.js";
import type { OtherSide, Params, RequestFrom, Result } from "./methods.js";
import { Peer, type RequestContext, type RequestOptions } from "./peer.js";
import { type Decoded, decode, type Shape, unknown } from "./schema.js";
import { decodeAsMeant } from "./tolerance.js";

/**
 * A {@link Peer} that validates everything it receives: the params of incoming messages and the results of
 * its own requests, using its side of the method table. Invalid params of a request are refused with -32602
 * and the name of the wrong field. Invalid params of a notification are reported. An invalid result rejects
 * with code `invalid`. Common deviations with an obvious meaning are accepted.
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

  /** @param end the side that this peer is on: `HOST_END` or `VIEW_END` */
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
   * Same as {@link Channel.handle}, but it throws instead of silently replacing a handler.
   *
   * @throws {VitrineError} `duplicate-handler`
   */
  override handle<M extends RequestFrom<OtherSide<S>>>(
    method: M,
    handler: Handler<M, RequestContext>,
  ): () => void {
    if (this.#handled.has(method)) {
      throw new VitrineError("duplicate-handler", `${method} already has a handler: remove it first`);
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
      // `ping` always has a handler.
      if (method === "ping") super.handle("ping" as M, () => ({}) as Result<M>);
    };
  }

  protected override notified(method: string, params: Record<string, unknown>): void {
    const decoded = decodeAsMeant(method, params, shapeOf(method, this.#end.notifications));
    if (decoded.ok) super.notified(method, decoded.value as Record<string, unknown>);
    else this.report("invalid", `${method}: ${decoded.message}`);
  }
}

/** A method that is not in the table belongs to an extension: there is no shape to check it against. */
const shapeOf = (method: string, shapes: Shapes): Shape =>
  (Object.hasOwn(shapes, method) && shapes[method]) || unknown;
