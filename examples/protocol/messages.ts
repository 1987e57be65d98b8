import { decodeMessage, encodeError, encodeResult } from "@vitrine/protocol";

/** Answers one message; `undefined` if it gets no answer. */
export function answer(body: unknown): object | undefined {
  const decoded = decodeMessage(body);
  if (!decoded.ok) {
    // Notifications and answers get no answer, however wrong they are.
    return decoded.answer ? encodeError(decoded.id, decoded.rpcCode, decoded.message) : undefined;
  }
  if (decoded.kind === "request") return encodeResult(decoded.message.id, "ping", {});
  return undefined;
}

console.log(answer({ jsonrpc: "2.0", id: 1, method: "ping" })); // { jsonrpc: "2.0", id: 1, result: {} }
