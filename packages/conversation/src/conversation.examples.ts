import type { KeptConversations } from "./conversation-store.js";
import { Conversations } from "./conversations.js";
import type { AppPort, ModelPort, ToolPort } from "./ports.js";

export async function conversationsExample(
  store: { conversations: KeptConversations },
  tools: ToolPort,
  apps: AppPort,
  models: ModelPort,
) {
  //#region conversations
  const conversations = new Conversations({ store: store.conversations, tools, apps, models });
  const conversation = await conversations.open("ana");
  const found = await conversations.list("ana", { search: "weather" });
  // At the end: stops everything that is running, and stores all changes.
  await conversations.close();
  //#endregion conversations
  return { conversation, found };
}

export async function conversationExample(
  conversations: Conversations,
  send: (text: string) => void,
  view: (message: object) => void,
) {
  //#region conversation
  const conversation = await conversations.open("ana");
  send(JSON.stringify(conversation.state()));
  const leave = conversation.subscribe((id, seq, changes) => send(JSON.stringify({ id, seq, changes })));
  await conversation.send([{ type: "text", text: "Will it rain in Rome?" }]);
  const item = await conversation.call("weather", "forecast", { city: "Rome" });
  // A view of the call can be opened at any time:
  const close = conversation.shown(item, {
    partial: (input) => view({ partial: input }),
    input: (input) => view({ input }),
    progress: (progress) => view({ progress }),
    result: (result) => view({ result }),
    cancelled: (reason) => view({ cancelled: reason }),
  });
  //#endregion conversation
  return { leave, close };
}

export async function keptConversationsExample(conversations: KeptConversations) {
  //#region kept
  const at = Date.now();
  await conversations.create("ann", { id: "c1", title: "Shoes", startedAt: at });
  await conversations.put("ann", "c1", {
    items: [{ kind: "user", id: "i1", at, content: [{ type: "text", text: "Red ones, size 38" }] }],
    changedAt: at,
  });
  // It is on disk.
  const [found] = await conversations.list("ann", { search: "RED shoes" });
  const all = found && (await conversations.get("ann", found.id));
  //#endregion kept
  return all;
}
