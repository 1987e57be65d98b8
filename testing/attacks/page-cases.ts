/**
 * Ways for an app to reach out of its frame (attacks.md, part B), as code that runs in a page. Each returns
 * its loot or throws. In an uncontained page each succeeds; there, as in the host page, `top[0][0]` is the
 * victim's view.
 */

/** A way to reach out of the frame. */
export interface PageCase {
  id: string;
  title: string;
  attack(): unknown;
}

const a = (id: string, title: string, attack: () => unknown): PageCase => ({ id, title, attack });

/** Same-origin windows, as these attacks need them. */
type Reached = Window & typeof globalThis & { secret: string; pwned: string; document: Document };
declare const top: Reached & Reached[][];
declare const parent: Reached;

/** Attacks that yield a secret of the victim, the host page or the proxy if nothing contains them. */
export const REACHES: readonly PageCase[] = [
  a("B01", "the host page's DOM", () => top.document.getElementById("host")?.textContent),
  a("B01", "the proxy's DOM", () => `${parent.document.title} secret`),
  a("B01", "another app's proxy", () => `${(top[0] as unknown as Reached).document.title} secret`),
  a("B01", "another app's DOM", () => top[0]?.[0]?.document.getElementById("secret")?.textContent),
  a("B01", "another app's variables", () => top[0]?.[0]?.secret),
  a("B01", "another app's storage, by its window", () => top[0]?.[0]?.localStorage.getItem("secret")),
  a("B01", "another app's cookies, by its window", () => top[0]?.[0]?.document.cookie),
  a("B01", "another app's caches, by its window", async () => {
    const response = await top[0]?.[0]?.caches.match("/secret");
    return response?.text();
  }),
  a("B01", "another app's address", () => `${top[0]?.[0]?.location.href} secret`),
  a("B01", "another app's handlers", () => {
    Object(top[0]?.[0]).onmessage = () => {};
    return `${typeof Object(top[0]?.[0]).onmessage} secret`;
  }),
  a("B02", "a script in the proxy", () => {
    const script = parent.document.createElement("script");
    script.text = 'globalThis.pwned = "secret of the proxy"';
    parent.document.body.append(script);
    return parent.pwned;
  }),
  a("B02", "a function of the proxy", () => Object(parent).Function('return "secret of the proxy"')()),
  a("B02", "a script in another app", () => {
    const document = top[0]?.[0]?.document as Document;
    const script = document.createElement("script");
    script.text = "globalThis.stolen = secret";
    document.body.append(script);
    return Object(top[0]?.[0]).stolen;
  }),
  a("B03", "its own sandbox attribute", () => {
    (frameElement as HTMLIFrameElement).removeAttribute("sandbox");
    return `${(frameElement as HTMLIFrameElement).sandbox.length} tokens left of the secret`;
  }),
  a("B03", "a frame beside it, without a sandbox", async () => {
    const frame = parent.document.createElement("iframe");
    parent.document.body.append(frame);
    return `${frame.sandbox.length} tokens, secret`;
  }),
  a("B12", "document.domain, then another app's DOM", () => {
    for (const domain of ["localhost", document.domain])
      try {
        document.domain = domain;
      } catch {
        // Only what it opens matters.
      }
    return top[0]?.[0]?.document.getElementById("secret")?.textContent;
  }),
  a("B12", "another app's window.name", () => `${top[0]?.[0]?.name} secret`),
  a(
    "B12",
    "another app by the name of its window",
    () => (open("", "victim-view") as Reached).document.getElementById("secret")?.textContent,
  ),
  a("B12", "the window that opened the page", () => {
    Object(top).opener = { secret: "secret" };
    return Object(top).opener.secret;
  }),
  a("B14", "shared memory", () => `${new SharedArrayBuffer(8).byteLength} bytes of secret`),
  a("B14", "a shared worker", () => {
    const text = 'onconnect = ({ ports: [port] }) => port.postMessage("secret")';
    const worker = new SharedWorker(`data:text/javascript,${encodeURIComponent(text)}`);
    return new Promise((resolve, reject) => {
      worker.port.onmessage = ({ data }) => resolve(data);
      worker.onerror = () => reject(new TypeError("no worker"));
    });
  }),
  a("B14", "a service worker", async () => {
    const { scope } = await navigator.serviceWorker.register("/sw.js");
    return `${scope} secret`;
  }),
];

/** Attacks that yield the victim's secret to a view of the victim's own server. */
export const STORAGE: readonly PageCase[] = [
  a("B13", "localStorage", () => localStorage.getItem("secret")),
  a("B13", "cookies", () => document.cookie),
  a("B13", "the cookie store", async () => JSON.stringify(await Object(globalThis).cookieStore?.getAll())),
  a("B13", "IndexedDB", async () => {
    const wait = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const names = (await indexedDB.databases()).map(({ name }) => name);
    if (!names.includes("secrets")) return `only ${names}`;
    const database = await wait(indexedDB.open("secrets"));
    const found = await wait(database.transaction("all").objectStore("all").get("secret"));
    database.close();
    return found;
  }),
  a("B13", "CacheStorage", async () => (await caches.match("/secret"))?.text()),
  a("B13", "private files", async () => {
    const folder = await navigator.storage.getDirectory();
    return (await (await folder.getFileHandle("secret")).getFile()).text();
  }),
  a("B14", "locks", async () => JSON.stringify(await navigator.locks.query())),
  a("B14", "BroadcastChannel", () => {
    const channel = new BroadcastChannel("secrets");
    return new Promise((resolve) => {
      channel.onmessage = ({ data }) => data !== "ask" && resolve(data);
      channel.postMessage("ask");
      // Long after the victim would have answered.
      setTimeout(resolve, 2000, "nothing");
    });
  }),
];
