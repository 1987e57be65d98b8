/**
 * The script of an exported file: it is the host of its apps, and answers them as they were answered when they
 * were recorded.
 *
 * @module
 */

/** An app of an exported file. */
export interface ExportedApp {
  readonly html: string;
  /** Requests of the app with their answers, in order. */
  readonly answers: readonly {
    readonly method: string;
    readonly params: unknown;
    readonly answer: Readonly<Record<string, unknown>>;
  }[];
  /** Notifications to the app, in order. */
  readonly told: readonly Readonly<Record<string, unknown>>[];
}

/** Runs in the exported file, as its text: it uses nothing from outside of itself. */
export function runReplays(): void {
  const data = document.getElementById("apps")?.textContent ?? "[]";
  const apps = JSON.parse(data) as ExportedApp[];
  const plain = (value: unknown): string => JSON.stringify(value ?? {});
  for (const [at, app] of apps.entries()) {
    const frame = document.createElement("iframe");
    // An origin of its own; no forms, popups, downloads or navigation of the file.
    frame.setAttribute("sandbox", "allow-scripts");
    frame.title = "Replayed app";
    const left = [...app.answers];
    const send = (message: object): void =>
      frame.contentWindow?.postMessage({ jsonrpc: "2.0", ...message }, "*");
    addEventListener("message", ({ source, data: message }) => {
      if (source !== frame.contentWindow || typeof message !== "object" || message === null) return;
      const { id, method, params } = message as {
        id?: unknown;
        method?: unknown;
        params?: { height?: unknown };
      };
      if (typeof method !== "string") return;
      if (id !== undefined) {
        const same = left.findIndex((each) => each.method === method && plain(each.params) === plain(params));
        const place = same >= 0 ? same : left.findIndex((each) => each.method === method);
        const [found] = place >= 0 ? left.splice(place, 1) : [];
        const missing = { error: { code: -32601, message: "not in the recording" } };
        send({ id, ...(found ? found.answer : method === "ping" ? { result: {} } : missing) });
      } else if (method === "ui/notifications/initialized") for (const told of app.told) send(told);
      else if (method === "ui/notifications/size-changed" && typeof params?.height === "number")
        frame.style.height = `${Math.min(Math.max(params.height, 40), 2_000)}px`;
    });
    // A file cannot forbid all ways to send something: WebRTC and name look-ups. So the reader starts apps.
    const place = document.getElementById(`app-${at}`);
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Run this app";
    const warning = document.createElement("span");
    warning.className = "soft";
    warning.textContent = " It can tell others that you opened this file, and what it was shown.";
    button.addEventListener("click", () => {
      frame.srcdoc = app.html;
      place?.replaceChildren(frame);
    });
    place?.append(button, warning);
  }
}
