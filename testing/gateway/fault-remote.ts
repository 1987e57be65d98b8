/** A server elsewhere that counts what it does, and fails as a test wants. */
import {
  type Answer,
  type HttpServer,
  type Received,
  sendJson,
  startHttpServer,
  textResult,
} from "./http-server.ts";

/** What a call brought along. */
export const argumentsOf = ({ params }: Received): { key: string; text: string } =>
  Object(params?.["arguments"]);

/** Has the one tool `echo`. */
export interface FaultRemote extends HttpServer {
  /** Answers in place of the tool; returns false to have it run. */
  fault: Answer;
}

/** @param effect hears the key of each call that ran */
export async function startFaultRemote(effect: (key: string) => void): Promise<FaultRemote> {
  const remote: FaultRemote = Object.assign(await startHttpServer(), { fault: () => false });
  remote.answer = async (message, response) => {
    const { id, method, headers } = message;
    if (await remote.fault(message, response)) return true;
    // Who has no session is told so in the usual way.
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
