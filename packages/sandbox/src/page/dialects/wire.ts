/**
 * The MCP Apps end of a dialect: it speaks JSON-RPC with the host on behalf of the document, over the document's
 * own channel. So the host sees a view that speaks MCP Apps, and treats it like any other.
 *
 * A document may also shake hands itself, because it was written for several hosts. Then the host's requests are
 * for the document; this end only listens, and sends the requests of the dialect under ids of its own.
 */
import {
  type HostCapabilities,
  type HostContext,
  INSTANCE_KEY,
  isRecord,
  mergeHostContext,
  PROTOCOL_VERSION,
  recordOf,
  watchSize,
} from "@vitrine/protocol";
import { PARENT, standInFor } from "../parent.js";

/** A JSON object. */
export type Members = Record<string, unknown>;

/** The part of a {@link Wire} that changed. */
export type Change = "input" | "result" | "context";

interface Asked {
  resolve(result: Members): void;
  reject(error: unknown): void;
}

/** Answers to requests of the host; any other method is not found. */
const ANSWERED = /^(ping|ui\/resource-teardown)$/;
const METHOD_NOT_FOUND = -32601;
/** Distinguishes requests of the dialect from the document's own. */
const ID = "dialect-";

/** The document's connection to its host. */
export class Wire {
  /** The arguments and the result of the call that the view shows. */
  input: unknown;
  result: Members | undefined;
  context: HostContext = {};
  /** Handles a message of the document to its parent. Returns whether it was one of the dialect. */
  onpost: ((message: Members) => boolean) | undefined;
  /** Listeners of changes. */
  readonly onchange: ((change: Change) => void)[] = [];
  readonly #proxy: string;
  readonly #asked = new Map<unknown, Asked>();
  #count = 0;
  #capabilities: HostCapabilities = {};
  #connected: Promise<void> | undefined;
  /** The id of the document's own `ui/initialize`, and the function that waits for its answer. */
  #ownId: unknown;
  #heardOwn: (() => void) | undefined;
  #reportsSize = true;
  #stopSize: (() => void) | undefined;

  /** @param proxy the origin of the proxy page */
  constructor(proxy: string) {
    this.#proxy = proxy;
    const parent = standInFor((message, ...rest) => {
      const isOurs = isRecord(message) && !("jsonrpc" in message) && this.onpost?.(message);
      if (isOurs) return;
      if (recordOf(message)["method"] === "ui/initialize") this.#yield(recordOf(message)["id"]);
      PARENT.postMessage(message, ...(rest as [string]));
    });
    Object.defineProperty(window, "parent", { configurable: true, get: () => parent });
    // The trap for Vue would replace this stand-in, which Vue skips too.
    Reflect.deleteProperty(window, "__VUE__");
    addEventListener(
      "message",
      (event) => {
        if (event.source !== PARENT || event.origin !== proxy) return;
        // Documents compare the sender with `parent`.
        Object.defineProperty(event, "source", { value: parent });
        this.#receive(event.data);
      },
      true,
    );
    // After the scripts of the document, which may shake hands themselves.
    addEventListener("DOMContentLoaded", () => void this.connect().catch(() => {}));
  }

  /** Identifies this view: the same after a remount. */
  get instance(): unknown {
    return this.context[INSTANCE_KEY] ?? this.context.toolInfo?.id;
  }

  /** Whether the host has a capability; known after {@link connect}. */
  can(capability: keyof HostCapabilities): boolean {
    return this.#capabilities[capability] !== undefined;
  }

  /** Resolves when the host has answered the handshake. */
  connect(): Promise<void> {
    return (this.#connected ??= this.#initialize());
  }

  async request(method: string, params: object): Promise<Members> {
    await this.connect();
    return this.#ask(method, params);
  }

  /**
   * Sends a request that the host may refuse in its result.
   *
   * @throws `refused` if so
   */
  async accepted(method: string, params: object, refused: Error): Promise<Members> {
    const result = await this.request(method, params);
    if (result["isError"]) throw refused;
    return result;
  }

  async notify(method: string, params: object): Promise<void> {
    await this.connect();
    this.#send({ method, params });
  }

  /** Reports a size that the document measured. From now on, it is not measured here. */
  resize(size: { width?: unknown; height?: unknown }): Promise<void> {
    this.#reportsSize = false;
    this.#stopSize?.();
    return this.notify("ui/notifications/size-changed", size);
  }

  async #initialize(): Promise<void> {
    const result = await this.#ask("ui/initialize", {
      protocolVersion: PROTOCOL_VERSION,
      appInfo: { name: document.title || "app", version: "0.0.0" },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen", "pip"] },
    });
    this.#learn(result);
    this.#send({ method: "ui/notifications/initialized", params: {} });
    // A call during parsing connects before there is anything to measure.
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", () => this.#watchSize());
    else this.#watchSize();
  }

  #watchSize(): void {
    if (!this.#reportsSize) return;
    const report = (params: object): void => this.#send({ method: "ui/notifications/size-changed", params });
    this.#stopSize = watchSize(report, () => this.context).stop;
  }

  /** The document shakes hands itself: for the host it starts anew, and forgets earlier requests. */
  #yield(id: unknown): void {
    this.#ownId = id;
    this.#reportsSize = false;
    this.#stopSize?.();
    for (const { reject } of this.#asked.values()) reject(new Error("the app has connected again"));
    this.#asked.clear();
    this.#connected = new Promise((resolve) => {
      this.#heardOwn = resolve;
    });
  }

  #receive(data: unknown): void {
    // A document that sends text is answered in text.
    const { id, method, params, result, error } = recordOf(typeof data === "string" ? parsed(data) : data);
    if (method === undefined) {
      const asked = this.#asked.get(id);
      this.#asked.delete(id);
      if (error !== undefined) asked?.reject(errorOf(recordOf(error)));
      else asked?.resolve(recordOf(result));
      if (this.#heardOwn && id === this.#ownId && result !== undefined) {
        this.#learn(recordOf(result));
        this.#heardOwn();
      }
    } else if (id === undefined) this.#hear(`${method}`, recordOf(params));
    else if (this.#ownId === undefined)
      this.#send(
        ANSWERED.test(`${method}`)
          ? { id, result: {} }
          : { id, error: { code: METHOD_NOT_FOUND, message: "Method not found" } },
      );
  }

  #hear(method: string, params: Members): void {
    if (method === "ui/notifications/tool-input") {
      this.input = params["arguments"];
      this.#changed("input");
    } else if (method === "ui/notifications/tool-result") {
      this.result = params;
      this.#changed("result");
    } else if (method === "ui/notifications/host-context-changed") {
      this.context = mergeHostContext(this.context, params);
      this.#changed("context");
    }
  }

  #learn({ hostCapabilities, hostContext }: Members): void {
    this.#capabilities = recordOf(hostCapabilities);
    this.context = recordOf(hostContext);
    this.#changed("context");
  }

  #changed(change: Change): void {
    for (const listener of this.onchange) listener(change);
  }

  #ask(method: string, params: object): Promise<Members> {
    return new Promise((resolve, reject) => {
      const id = ID + ++this.#count;
      this.#asked.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  #send(message: object): void {
    PARENT.postMessage({ jsonrpc: "2.0", ...message }, this.#proxy);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const errorOf = ({ message, code, data }: Members): Error =>
  Object.assign(new Error(`${message}`), { code, data });
