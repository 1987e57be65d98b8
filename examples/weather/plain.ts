/** A view without a framework, with one import. */
import { App } from "@vitrine/view";
import type { Forecast } from "./forecast.ts";

const app = new App({ name: "weather", version: "1.0.0" });
const city = document.querySelector("h1");
const note = document.querySelector("p");
const list = document.querySelector("ol");
const refresh = document.querySelector("button");

function show({ city: name, days }: Forecast): void {
  city?.replaceChildren(name);
  note?.replaceChildren(`${days.length} days`);
  list?.replaceChildren(
    ...days.map((day) => {
      const item = document.createElement("li");
      const sky = document.createElement("span");
      sky.textContent = day.sky;
      item.append(day.name, sky, `${day.high}° / ${day.low}°`);
      return item;
    }),
  );
}

// While the model is still writing the arguments, and when they are complete.
app.ontoolinputpartial = ({ arguments: args }) => note?.replaceChildren(`Looking for ${args?.city ?? "…"}`);
app.ontoolinput = ({ arguments: args }) =>
  note?.replaceChildren(`Asking for ${args?.city ?? "the weather"}…`);
app.ontoolresult = (result) => {
  if (!result.isError) show(result.structuredContent as Forecast);
};
app.ontoolcancelled = ({ reason }) => note?.replaceChildren(`Cancelled: ${reason ?? "no reason given"}`);

refresh?.addEventListener("click", async () => {
  const result = await app.callServerTool({ name: "forecast", arguments: { city: city?.textContent } });
  show(result.structuredContent as Forecast);
});

await app.connect();
