import { appServer } from "@vitrine/server";
import { forecast } from "./weather.js";

export const withMore = appServer({
  name: "weather",
  version: "1.0.0",
  tools: [forecast],
  extend: (server) => {
    const asked = { role: "user", content: { type: "text", text: "How is the weather in Berne?" } } as const;
    server.registerPrompt("berne", { title: "Berne" }, () => ({ messages: [asked] }));
    server.registerResource("stations", "weather://stations", {}, ({ href }) => ({
      contents: [{ uri: href, text: "Berne, Oslo" }],
    }));
  },
});
