/** A remote server that counts its actions, and fails as a test wants. */
import {
  type Answer,
  type HttpServer,
  type Received,
  sendJson,
  startHttpServer,
  textResult,
} from "./http-server.ts";

/** Headers and arguments of a call. */
export const argumentsOf = ({ params }: Received): { key: string; text: string } =>
  Object(params?.["arguments"]);

/** Has one tool, `echo`. */
export interface FaultRemote extends HttpServer {
  /** Answers instead of the tool; returns false to run the tool. */
  fault: Answer;
}

/** @param effect called with the key of each call that ran */
export async function startFaultRemote(effect: (key: string) => void): Promise<FaultRemote> {
  const remote: FaultRemote = Object.assign(await startHttpServer(), { fault: () => false });
  remote.answer = async (message, response) => {
    const { id, method, headers } = message;
    if (await remote.fault(message, response)) return true;
    // A request without a session gets the usual error.
    if (headers["mcp-session-id"] !== remote.session) return false;
    if (method === "tools/list") {
      sendJson(response, id, { tools: [{ name: "echo", inputSchema: { type: "object" } }] });
      return true;
    }
    if (method !== "tools/call") return false;
    const { key, text } = argumentsOf(message);
    effect(key);
    sendJson(response, id, textResult(text));
    return true;
  };
  return remote;
}
