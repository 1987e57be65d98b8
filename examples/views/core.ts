import { View } from "@vitrine/view";

const view = new View({ name: "weather", version: "1.0.0" });
view.on("toolresult", ({ content }) => {
  for (const block of content) if (block.type === "text") document.body.append(block.text);
});
await view.connect();
