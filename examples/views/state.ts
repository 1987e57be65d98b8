import { App } from "@vitrine/view";

const app = new App({ name: "weather", version: "1.0.0" });
await app.connect();
const { open = "overview" } = app.state.get<{ open: string }>() ?? {};
location.hash = open;
addEventListener("hashchange", () => app.state.set({ open: location.hash.slice(1) }));
