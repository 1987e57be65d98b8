import { Conversations, type ConversationsOptions } from "@vitrine/conversation";
import type { GuardedServers } from "../guard/guarded-servers.js";
import { serverTools } from "./server-tools.js";

export function serverToolsExample(servers: GuardedServers, parts: Omit<ConversationsOptions, "tools">) {
  //#region serverTools
  const conversations = new Conversations({ ...parts, tools: serverTools(servers) });
  //#endregion serverTools
  return conversations;
}
