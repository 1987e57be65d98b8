/**
 * Requests that a user writes: any method of a server that is inspected, known to the gateway or not.
 *
 * @module
 */
import { Refusal } from "@vitrine/guard";

/** Printable ASCII without blanks. */
const METHOD = /^[\x21-\x7e]{1,200}$/;

/** Why methods are not sent, by their pattern. The gateway answers for the connection, and others may use it too. */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [
    /^initialize$/,
    "the gateway makes the connection. Restart the server instead, and read the tab Messages to see it",
  ],
  [/^notifications\//, "a notification is not a request, and those of the connection are the gateway's"],
  [
    /^(resources\/(un)?subscribe|subscriptions\/listen)$/,
    "subscriptions belong to the connection. Subscribe in the tab Resources instead",
  ],
  [/^logging\/setLevel$/, "the level belongs to the connection. Set it in the tab Log instead"],
  [/^tasks\//, "tasks may belong to other users. Use the tab Tasks instead"],
  [
    /^(sampling\/createMessage|elicitation\/create|roots\/list)$/,
    "servers send this request to clients, not the other way",
  ],
  // The audit log uses these names for actions of the gateway itself.
  [
    /^((ui|gateway|conversation|model|app-tools|audit|catalogue)\/|server\/(?!discover$))/,
    "the name belongs to the gateway and its apps, and reaches no server",
  ],
];

const isRefused = (method: string): boolean => REFUSED.some(([pattern]) => pattern.test(method));

/**
 * Checks a method that the user has written.
 *
 * @throws {Refusal} `not-allowed`, with another way to do it
 */
export function checkAnyMethod(method: string): void {
  const shown = JSON.stringify(method.slice(0, 100));
  if (!METHOD.test(method))
    throw new Refusal("not-allowed", `${shown}: a method has 1 to 200 characters of ASCII, without blanks`);
  for (const [pattern, why] of REFUSED)
    if (pattern.test(method)) throw new Refusal("not-allowed", `${shown} is not sent: ${why}`);
}

/** Whether only a request that a user writes can have this method. `isKnown`: whether the gateway knows it. */
export const isOnlyWritten = (method: string, isKnown: boolean): boolean => !isKnown && !isRefused(method);

/** Methods without an effect that the gateway itself does not send to a server for a page. */
const READS: ReadonlySet<string> = new Set([
  "server/discover",
  "skills/list",
  "skills/get",
  "resources/directory/read",
]);

/** Whether the method may affect other users of a shared server: only its author knows the meaning of others. */
export const mayAffectOthers = (method: string, isKnown: boolean): boolean => !isKnown && !READS.has(method);
