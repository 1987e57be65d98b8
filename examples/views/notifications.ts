import { App } from "@vitrine/view";

const uri = "log://today";
const app = new App({ name: "log", version: "1.0.0" });
app.setNotificationHandler("notifications/resources/updated", async () => {
  const { contents } = await app.readServerResource({ uri });
  for (const part of contents) if ("text" in part) document.body.replaceChildren(part.text);
});
await app.connect();
await app.subscribeServerResource({ uri });
