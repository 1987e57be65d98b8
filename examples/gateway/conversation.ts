/** A conversation inside the program that runs the gateway. */
//#region conversation
import { readSettingsFile, startGateway } from "@vitrine/gateway";

const gateway = await startGateway(await readSettingsFile("mcp.json"));
const conversation = await gateway.conversations.open("local");
const unsubscribe = conversation.subscribe((_id, seq, changes) => console.log(seq, JSON.stringify(changes)));

// A message of the user. If a model is chosen, it answers.
await conversation.send([{ type: "text", text: "What time is it?" }]);
// A manual tool call.
const item = await conversation.call("clock", "get-time", {});
// A view of this call receives these, whenever it opens.
const close = conversation.shown(item, {
  partial: (input) => console.log("arguments so far", input),
  input: (input) => console.log("arguments", input),
  progress: (progress) => console.log("progress", progress),
  result: (result) => console.log("result", result),
  cancelled: (reason) => console.log("cancelled", reason),
});

process.once("SIGTERM", async () => {
  close();
  unsubscribe();
  await gateway.close();
});
//#endregion conversation
