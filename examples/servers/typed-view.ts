import { App, type TypedApp } from "@vitrine/view";
import type { Tools } from "./tools.js";

const app = new App({ name: "weather", version: "1.0.0" }) as TypedApp<Tools, "forecast">;
app.ontoolresult = ({ structuredContent }) => {
  document.title = structuredContent?.city ?? "Forecast";
};
await app.connect();
const { structuredContent } = await app.callServerTool({ name: "forecast", arguments: { city: "Rome" } });
document.body.append(`${structuredContent?.days[0]?.high}°`);
