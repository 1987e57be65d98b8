/** Views for tests of the host, written by hand so that each does exactly what its test says. */

/** The runtime of raw views: `ask`, `tell`, `start`, and all received messages in `heard`. */
const RUNTIME = `
  let next = 1;
  const waiting = new Map();
  const heard = [];
  const answers = { ping: () => ({}), "ui/resource-teardown": () => ({}) };
  const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const tell = (method, params = {}) => post({ method, params });
  const ask = (method, params = {}) => new Promise((resolve, reject) => {
    waiting.set(next, { resolve, reject });
    post({ id: next++, method, params });
  });
  addEventListener("message", ({ source, data }) => {
    if (source !== parent || Object(data).jsonrpc !== "2.0") return;
    if (data.method === undefined) {
      const { resolve, reject } = waiting.get(data.id) ?? {};
      if (data.error) reject?.(Object.assign(new Error(data.error.message), data.error));
      else resolve?.(data.result);
      return;
    }
    heard.push(data);
    if (data.id !== undefined && answers[data.method]) post({ id: data.id, result: answers[data.method](data.params) });
  });
  const start = async (appCapabilities = {}) => {
    const appInfo = { name: "raw", version: "1.0.0" };
    const host = await ask("ui/initialize", { protocolVersion: "2026-01-26", appInfo, appCapabilities });
    tell("ui/notifications/initialized");
    return host;
  };
  globalThis.raw = { ask, tell, post, start, heard, answers };
`;

/** The HTML of a view that runs a script after the runtime. By default it only shakes hands. */
export const rawView = (script = "start();", body = "<p>Raw</p>"): string =>
  `<!doctype html><meta charset="utf-8"><title>Raw</title><body>${body}<script>${RUNTIME}\n${script}</script></body>`;

/** Properties of a raw view's window, as `raw`. */
export interface RawView {
  ask(method: string, params?: object): Promise<unknown>;
  tell(method: string, params?: object): void;
  post(message: object): void;
  start(capabilities?: object): Promise<{ hostContext: Record<string, unknown>; hostCapabilities: object }>;
  heard: { id?: number; method: string; params: Record<string, unknown> }[];
  answers: Record<string, (params: object) => object>;
}
