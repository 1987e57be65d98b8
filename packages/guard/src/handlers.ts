/**
 * What a host does when a view asks: the one interface that a host implements.
 *
 * @module
 */
import type { Params, RequestContext, Result } from "@vitrine/protocol";

type Answer<T> = T | Promise<T>;
/** A handler that returns nothing has done what was asked. */
// biome-ignore lint/suspicious/noConfusingVoidType: handlers without a return statement are meant.
type Done<T> = Answer<T | undefined | void>;

/** Whose words they are. */
export interface Speaker {
  /** The instance of the view. */
  readonly view: string;
  /** The view's server. Name it wherever the view's words go: to the model, to a person, into a log. */
  readonly server: string;
}

/** What a handler is told beside the params. */
export interface ViewRequest extends RequestContext, Speaker {}

/**
 * What a host can do for its views. Everything is optional: a view is told exactly what is there (I13), and the
 * rest is refused. Params were checked; every call has passed the guard. Throw to refuse.
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
  /** Opens a link (I04). Only `http:`, `https:` and `mailto:` come here; show the whole address when asking. */
  openLink?(params: Params<"ui/open-link">, context: ViewRequest): Done<Result<"ui/open-link">>;
  /** Adds a message to the conversation, as a turn of the user (I05). `sentRole` is what a view said in place of `user`. */
  message?(
    params: Params<"ui/message"> & { sentRole?: unknown },
    context: ViewRequest,
  ): Done<Result<"ui/message">>;
  /** Takes what the model should know of the view; the last one counts, with the user's next turn (I06). */
  updateModelContext?(params: Params<"ui/update-model-context">, context: ViewRequest): Done<object>;
  /** Saves a file (I10). Its name and size are the view's words. */
  downloadFile?(params: Params<"ui/download-file">, context: ViewRequest): Done<Result<"ui/download-file">>;
  /** Asks the host's model (I11). Let a person see what is asked. */
  createMessage?(
    params: Params<"sampling/createMessage">,
    context: ViewRequest,
  ): Answer<Result<"sampling/createMessage">>;
  /**
   * Shows the view in another mode, or not, and says which is in force (I07). Only modes that both the host's
   * context and the view have come here. Without it the mode never changes.
   */
  requestDisplayMode?(
    params: Params<"ui/request-display-mode">,
    context: ViewRequest,
  ): Answer<Result<"ui/request-display-mode">>;
  /** Records a line of the view's log (I09). */
  log?(params: Params<"notifications/message">, from: Speaker): unknown;
  /** The view's content has another size (I08). The numbers are the view's: clamp them. */
  size?(params: Params<"ui/notifications/size-changed">, from: Speaker): unknown;
  /** The view asks to be removed (L09). Call `teardown` to agree. */
  requestTeardown?(params: object, from: Speaker): unknown;
}
