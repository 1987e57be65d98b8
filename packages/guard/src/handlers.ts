/**
 * The handlers of a host: the interface that a host implements for views.
 *
 * @module
 */
import type { Params, RequestContext, Result } from "@vitrine/protocol";

type Answer<T> = T | Promise<T>;
/** A handler without a return value has succeeded. */
// biome-ignore lint/suspicious/noConfusingVoidType: handlers without a return statement are meant.
type Done<T> = Answer<T | undefined | void>;

/** The sender. */
export interface Speaker {
  /** The instance of the view. */
  readonly view: string;
  /** The view's server. Show it wherever text of the view goes: to the model, to a user, into a log. */
  readonly server: string;
}

/** Context of a request, besides its params. */
export interface ViewRequest extends RequestContext, Speaker {}

/**
 * Features of a host for its views. All are optional: a view learns exactly which exist, and others are
 * refused. Params are checked, and every call has passed the guard. Throw to refuse.
 *
 * @example
 * ```ts source="./service.examples.ts#hostHandlers"
 * const handlers: HostHandlers = {
 *   message: ({ content }, { server }) => chat.add(content, server),
 *   updateModelContext: (context) => {
 *     chat.context = context;
 *   },
 *   requestDisplayMode: ({ mode }) => ({ mode: chat.setMode(mode) }),
 * };
 * ```
 */
export interface HostHandlers {
  /** Opens a link. Only `http:`, `https:` and `mailto:` arrive here; show the whole address when asking. */
  openLink?(params: Params<"ui/open-link">, context: ViewRequest): Done<Result<"ui/open-link">>;
  /**
   * Adds a message to the conversation as a user turn. `sentRole` is the view's role if it was not `user`.
   */
  message?(
    params: Params<"ui/message"> & { sentRole?: unknown },
    context: ViewRequest,
  ): Done<Result<"ui/message">>;
  /** Updates the model's context; the latest counts, with the user's next turn. */
  updateModelContext?(params: Params<"ui/update-model-context">, context: ViewRequest): Done<object>;
  /** Saves a file. Its name and size come from the view. */
  downloadFile?(params: Params<"ui/download-file">, context: ViewRequest): Done<Result<"ui/download-file">>;
  /** Asks the host's model. Let the user see the request. */
  createMessage?(
    params: Params<"sampling/createMessage">,
    context: ViewRequest,
  ): Answer<Result<"sampling/createMessage">>;
  /**
   * Changes the display mode, or not, and returns the current one. Only modes that both the host's context
   * and the view support arrive here. Without it the mode never changes.
   */
  requestDisplayMode?(
    params: Params<"ui/request-display-mode">,
    context: ViewRequest,
  ): Answer<Result<"ui/request-display-mode">>;
  /** Records a line of the view's log. */
  log?(params: Params<"notifications/message">, from: Speaker): unknown;
  /** The view's content size changed. The numbers come from the view: clamp them. */
  size?(params: Params<"ui/notifications/size-changed">, from: Speaker): unknown;
  /** The view asks to be removed. Call `teardown` to agree. */
  requestTeardown?(params: object, from: Speaker): unknown;
}
