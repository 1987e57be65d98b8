/** The models of a settings file, and one that answers. */
//#region models
import { Models } from "@vitrine/conversation";
import { readSettingsFile } from "@vitrine/gateway";

const { model: settings, dataFolder } = await readSettingsFile("mcp.json");
const models = await Models.open({ settings, folder: dataFolder });
models.onchange(({ current, help }) => console.log(current ?? help));
await models.refresh(); // asks Ollama and the like for their list
const [first] = models.list().filter(({ problem }) => problem === undefined);
await models.choose(first?.id);

const messages = [{ role: "user", content: [{ type: "text", text: "Hello" }] }] as const;
const stream = models.current?.stream({ messages, tools: [] }, AbortSignal.timeout(60_000));
for await (const delta of stream ?? []) {
  if (delta.kind === "text") process.stdout.write(delta.text);
}
//#endregion models
