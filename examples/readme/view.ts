import { App } from "@vitrine/view";

const app = new App({ name: "weather", version: "1.0.0" });
const heading = document.querySelector("h1");
const button = document.querySelector("button");

// While the model still writes the arguments, and when the tool has answered.
app.ontoolinputpartial = ({ arguments: args }) =>
  heading?.replaceChildren(`Looking for ${args?.city ?? "…"}`);
app.ontoolresult = ({ content }) => {
  for (const block of content) if (block.type === "text") heading?.replaceChildren(block.text);
};

// The app can call tools of its server.
button?.addEventListener("click", async () => {
  const { structuredContent } = await app.callServerTool({ name: "forecast", arguments: { days: 5 } });
  heading?.replaceChildren(JSON.stringify(structuredContent));
});

await app.connect();
