import { App } from "@vitrine/view";

const app = new App({ name: "weather", version: "1.0.0" });
const show = (data: unknown) => document.querySelector("p")?.replaceChildren(JSON.stringify(data));
app.ontoolinputpartial = ({ arguments: args }) => show(args?.city);
app.ontoolresult = ({ structuredContent }) => show(structuredContent);
app.onteardown = () => show("Goodbye.");
await app.connect();

document.querySelector("button")?.addEventListener("click", async () => {
  const { structuredContent } = await app.callServerTool({ name: "forecast", arguments: { days: 5 } });
  show(structuredContent);
  await app.updateModelContext({ content: [{ type: "text", text: "The user looks at the forecast." }] });
});
