/**
 * Keys of policy tables.
 *
 * @module
 */

/** The method name of browser permissions in questions, records and policies. */
export const PERMISSION_METHOD = "ui/permission";

/** The method name of apps' tools in records and policies. They belong to no server. */
export const APP_TOOL_METHOD = "app-tools/call";

/** Requests that a user writes in the inspector. Their records have the method that was sent. */
export const ANY_REQUEST = "gateway/request";

/** Requests to the user's model, by apps and servers. */
export const SAMPLING_METHOD = "sampling/createMessage";

/** Questions of servers to the user. */
export const ELICITATION_METHOD = "elicitation/create";

/** Methods whose rules can be about one subject: a tool, an address, a host. */
const WITH_SUBJECT: ReadonlySet<string> = new Set([
  "tools/call",
  "prompts/get",
  "completion/complete",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "ui/open-link",
  PERMISSION_METHOD,
  APP_TOOL_METHOD,
  ANY_REQUEST,
]);

/** Whether a rule can be about a subject of the method. A rule about one that no call has would never apply. */
export const hasSubject = (method: string): boolean => WITH_SUBJECT.has(method);

/** Whether a policy table may have this key. A key with a typo would allow too much. */
export function isPolicyKey(key: string, methods: readonly string[]): boolean {
  return [...methods, PERMISSION_METHOD, APP_TOOL_METHOD, ANY_REQUEST].some((method) => {
    const isAt = (at: number): boolean =>
      key.startsWith(method, at) &&
      (hasSubject(method) ? /^(:.|$)/s : /^$/).test(key.slice(at + method.length));
    if (!key.startsWith("view:")) return isAt(0);
    for (let at = key.indexOf(":", 6); at > 0; at = key.indexOf(":", at + 1)) if (isAt(at + 1)) return true;
    return false;
  });
}
