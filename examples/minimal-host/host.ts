/**
 * The smallest host of one view that keeps every rule of part L: our checked peer over `postMessage`, with
 * the lifecycle asked before every message, both ways. Runs in the host page.
 */
import {
  acceptText,
  type Cause,
  CheckedPeer,
  diffHostContext,
  encodeError,
  type Handler,
  type HostCapabilities,
  type HostContext,
  HostLifecycle,
  type HostPhase,
  type Implementation,
  INVALID_REQUEST,
  type LifecycleLimits,
  type Listener,
  type NotificationFrom,
  negotiateVersion,
  type Outgoing,
  type Params,
  type RequestContext,
  type RequestFrom,
  type Result,
  type Transport,
  VitrineError,
  WindowTransport,
} from "@vitrine/protocol";

/** What a host is to its view. */
export interface HostOptions {
  /** The origin that the view's document has. */
  origin: string;
  info: Implementation;
  capabilities: HostCapabilities;
  context: HostContext;
  /** What the view may ask for, beside the handshake and ping. */
  handlers: { [M in Exclude<RequestFrom<"view">, "ui/initialize">]?: Handler<M, RequestContext> };
  /** Hear what the view says; it was checked. */
  listeners?: { [M in NotificationFrom<"view">]?: Listener<M> };
  limits?: Partial<LifecycleLimits>;
  /** Hears every message that was let through, and every one that was refused. */
  onmessage?: (method: string, params: unknown) => void;
  onrefused?: (method: string) => void;
  /** Hears every notification and request when it is really sent. */
  onsent?: (method: string, params: unknown) => void;
  /** The view was given up on. */
  onfailed?: (cause: Cause) => void;
  /** Something odd was survived. */
  onreport?: (error: VitrineError) => void;
}

/** The host's hold on its view. */
export interface HostedView {
  readonly phase: HostPhase;
  /** What the view said of itself, once it did. */
  readonly app: Params<"ui/initialize"> | undefined;
  /** Sends a notification, now or when the view is ready. */
  tell<M extends NotificationFrom<"host">>(method: M, params: Params<M>): void;
  /** Sends a request, now or when the view is ready. */
  ask<M extends RequestFrom<"host">>(method: M, params: Params<M>): Promise<Result<M>>;
  /** Changes the context; the view hears what is new. */
  setContext(context: HostContext): void;
  /**
   * Asks the view to finish, waits for it within limits, and removes the frame. Says what went wrong, if
   * anything. Called again, it gives the same promise.
   */
  teardown(reason: string): Promise<Cause | VitrineError | undefined>;
}

/** Runs a view in a frame. Call before the frame loads the view. */
export function hostView(iframe: HTMLIFrameElement, options: HostOptions): HostedView {
  const { contentWindow: target } = iframe;
  if (!target) throw new Error("the frame is in no document");
  const life = new HostLifecycle({ now: () => performance.now(), limits: options.limits });
  const wire = acceptText(new WindowTransport({ target, origin: options.origin }));
  const peer = new CheckedPeer<"host">();
  const asked = new Map<unknown, (answer: Promise<unknown>) => void>();
  let context = options.context;
  let app: Params<"ui/initialize"> | undefined;
  /** The id of the `ui/initialize` that waits for its answer. */
  let initializing: unknown;
  let ending: ReturnType<HostedView["teardown"]> | undefined;
  let deliver: (message: unknown) => void = () => {};
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** The peer's end of the wire. One for each time the view begins: a peer that reopens forgets its calls. */
  const mount = (): Transport => ({
    start: (receive) => {
      deliver = receive;
    },
    send: (message) => {
      wire.send(message);
      const { id, method } = Object(message) as { id?: unknown; method?: unknown };
      if (method !== undefined || id === undefined || id !== initializing) return;
      initializing = undefined;
      flush(life.answered());
      watch();
    },
    close: () => {
      deliver = () => {};
    },
  });

  const dispatch = (messages: Outgoing[]): void => {
    for (const { method, params, key } of messages) {
      options.onsent?.(method, params);
      const answer = asked.get(key);
      asked.delete(key);
      if (answer) answer(peer.request(method as "ping", params));
      else peer.notify(method as "ui/notifications/tool-input", params);
    }
  };

  /** Sends what waited. One that cannot be sent stops no other. */
  const flush = (messages: Outgoing[]): void => {
    for (const message of messages) {
      try {
        dispatch([message]);
      } catch (error) {
        reportError(error);
      }
    }
  };

  const watch = (): void => {
    clearTimeout(timer);
    if (life.deadline === undefined) return;
    timer = setTimeout(expire, Math.max(0, life.deadline - performance.now()));
  };
  const expire = (): void => {
    const cause = life.expire();
    // Timers may fire a little early.
    if (!cause) watch();
    else end();
    if (cause && cause.code !== "teardown-timeout") options.onfailed?.(cause);
  };
  const end = (): void => {
    clearTimeout(timer);
    life.closed();
    peer.close();
    wire.close();
    iframe.remove();
    const closed = new VitrineError("closed", "the view was closed");
    for (const answer of asked.values()) answer(Promise.reject(closed));
    asked.clear();
  };

  const finish: HostedView["teardown"] = async (reason) => {
    if (!life.teardown()) {
      end();
      return undefined;
    }
    watch();
    // A view without a handler refuses, which is as good as an answer (D12); none at all is cut short.
    const refusal = await peer.request("ui/resource-teardown", { reason }).then(
      () => undefined,
      (error: VitrineError) => error,
    );
    const { cause } = life;
    if (!cause) end();
    return cause ?? refusal;
  };

  const receive = (message: unknown): void => {
    const { id, method, params } = Object(message) as {
      id?: string | number;
      method?: unknown;
      params?: unknown;
    };
    if (typeof method === "string") {
      const verdict = life.received(method);
      if (!verdict.serve) {
        options.onrefused?.(method);
        if (id !== undefined) wire.send(encodeError(id, INVALID_REQUEST, verdict.message));
        return;
      }
      options.onmessage?.(method, params);
      if (verdict.remounted) peer.open(mount());
      if (method === "ui/initialize") initializing = id;
      watch();
      flush(verdict.flush);
    }
    deliver(message);
  };

  peer.onreport = (error) => options.onreport?.(error);
  peer.handle("ui/initialize", (params) => {
    app = params;
    return {
      protocolVersion: negotiateVersion(params.protocolVersion),
      hostInfo: options.info,
      hostCapabilities: options.capabilities,
      hostContext: context,
    };
  });
  for (const [method, handler] of Object.entries(options.handlers)) {
    peer.handle(method as "ping", handler as Handler<"ping", RequestContext>);
  }
  for (const [method, listener] of Object.entries(options.listeners ?? {})) {
    peer.on(method as "ui/notifications/size-changed", listener as Listener<"ui/notifications/size-changed">);
  }
  peer.open(mount());
  wire.start(receive, end);
  watch();

  return {
    get phase() {
      return life.phase;
    },
    get app() {
      return app;
    },
    tell: (method, params) => dispatch(life.send(method, params)),
    ask: <M extends RequestFrom<"host">>(method: M, params: Params<M>) =>
      new Promise<Result<M>>((resolve) => {
        const key = {};
        asked.set(key, (answer) => resolve(answer as Promise<Result<M>>));
        try {
          dispatch(life.send(method, params, key));
        } catch (error) {
          asked.delete(key);
          throw error;
        }
      }),
    setContext: (next) => {
      const update = diffHostContext(context, next);
      context = next;
      // Official views refuse `null`; `postMessage` keeps `undefined`, which both understand (D11).
      const changes = Object.entries(update ?? {}).map(([key, value]) => [key, value ?? undefined]);
      if (update) dispatch(life.send("ui/notifications/host-context-changed", Object.fromEntries(changes)));
    },
    teardown: (reason) => (ending ??= finish(reason)),
  };
}
