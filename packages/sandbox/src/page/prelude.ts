/**
 * Runs first in every view's document and tells the proxy what a frame cannot see from outside: that the
 * document began, what its policy blocked, what its scripts threw. All of it is about the view itself, so a
 * view that lies here only hurts its own diagnosis. Nothing else of the document is touched.
 */
export function prelude(): void {
  let left = 50;
  const report = (code: string, params: object): void => {
    if (left-- > 0) tellProxy("report", { code, ...params });
  };
  const short = (text: unknown): string => `${text ?? ""}`.slice(0, 300);
  addEventListener("securitypolicyviolation", (event) =>
    report("csp_violation", {
      directive: event.effectiveDirective,
      blocked: short(event.blockedURI),
      source: short(event.sourceFile),
      line: event.lineNumber,
    }),
  );
  addEventListener("error", ({ message }) => report("script_error", { message: short(message) }));
  addEventListener("unhandledrejection", ({ reason }) =>
    report("script_error", { message: short(reason?.message ?? reason) }),
  );
  // A large message comes as text: parsed here, its objects are made once, in place of twice and a slow copy
  // between origins. Everybody else hears it as if it had come that way.
  addEventListener("message", (event) => {
    const { source, origin, data } = event;
    if (source !== parent || typeof data?.[LARGE] !== "string") return;
    event.stopImmediatePropagation();
    dispatchEvent(new MessageEvent("message", { source, origin, data: JSON.parse(data[LARGE]) }));
  });
  tellProxy("started");
}

/** The one key of a large message on its way from the proxy. */
export const LARGE = "vitrine/json";

/** The proxy is the only parent that the policy lets this document have, and checks whom it hears. */
export const tellProxy = (what: string, params = {}): void =>
  parent.postMessage({ jsonrpc: "2.0", method: `ui/notifications/sandbox-${what}`, params }, "*");
