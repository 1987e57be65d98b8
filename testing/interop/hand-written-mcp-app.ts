/**
 * The `McpApp` class as people write it by hand from its description: no `appInfo`, target `*`, no check of
 * a message's origin, every request answered by its method's name.
 */
type Handler = ((value: unknown) => unknown) | undefined;
type Message = {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { message: string };
};

export class McpApp {
  ontoolinput: Handler;
  ontoolinputpartial: Handler;
  ontoolresult: Handler;
  ontoolcancelled: Handler;
  onhostcontextchanged: Handler;
  onteardown: Handler;
  #nextId = 1;
  readonly #pending = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void }
  >();

  async connect(appCapabilities = {}): Promise<unknown> {
    window.addEventListener("message", ({ data }) => this.#receive(data));
    const result = await this.#request("ui/initialize", { protocolVersion: "2026-01-26", appCapabilities });
    this.#post({ method: "ui/notifications/initialized", params: {} });
    return result;
  }
  callServerTool(name: string, args = {}): Promise<unknown> {
    return this.#request("tools/call", { name, arguments: args });
  }

  #post(message: Message): void {
    window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }
  #request(method: string, params: Record<string, unknown>): Promise<unknown> {
    const id = this.#nextId++;
    this.#post({ id, method, params });
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }
  async #receive({ id, method, params = {}, result, error }: Message): Promise<void> {
    switch (method) {
      case "ui/notifications/tool-input":
        return void this.ontoolinput?.(params.arguments);
      case "ui/notifications/tool-input-partial":
        return void this.ontoolinputpartial?.(params.arguments);
      case "ui/notifications/tool-result":
        return void this.ontoolresult?.(params);
      case "ui/notifications/tool-cancelled":
        return void this.ontoolcancelled?.(params.reason);
      case "ui/notifications/host-context-changed":
        return void this.onhostcontextchanged?.(params);
      case "ui/resource-teardown":
        await this.onteardown?.(params.reason);
        return this.#post({ id, result: {} });
      case "ping":
        return this.#post({ id, result: {} });
    }
    const waiting = this.#pending.get(id ?? -1);
    this.#pending.delete(id ?? -1);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result);
  }
}
