/** The same view without a build step: the server writes HTML, and the runtime is a script tag in it. */
import { viewScript } from "@vitrine/view/script";

export const weatherHtml = (css: string): string => `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <title>Weather</title>
  <style>${css}</style>
  <h1>Weather</h1>
  <p>Waiting…</p>
  <ol></ol>
  <button>Refresh</button>
  <script>${viewScript({ name: "weather", version: "1.0.0" })}</script>
  <script>
    const [city, note, list, refresh] = ["h1", "p", "ol", "button"].map((name) => document.querySelector(name));
    const app = new vitrine.App();

    function show({ structuredContent: forecast }) {
      city.textContent = forecast.city;
      note.textContent = forecast.days.length + " days";
      list.replaceChildren(...forecast.days.map((day) => {
        const item = document.createElement("li");
        const sky = document.createElement("span");
        sky.textContent = day.sky;
        item.append(day.name, sky, day.high + "° / " + day.low + "°");
        return item;
      }));
    }

    app.ontoolinput = (input) => { note.textContent = "Asking for " + input.arguments.city + "…"; };
    app.ontoolresult = show;
    refresh.onclick = async () =>
      show(await app.callServerTool({ name: "forecast", arguments: { city: city.textContent } }));
    app.connect();
  </script>
</html>
`;
