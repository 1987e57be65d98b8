import type { Page } from "../page.js";
import { byId, draw, fill, hideUnsupported, make, problemOf, startApp, textOf } from "../view.js";
import { drawChart } from "./chart.js";
import { drawDrop, drawSky, skyName } from "./sky.js";
import { showWeather } from "./view.js";

const style = `
:root {
  --sun: light-dark(#f0a000, #ffc83d);
  --cloud: light-dark(#b4c1d3, #8d99ab);
  --cloud-far: light-dark(#d2dbe7, #626d7d);
  --cloud-dark: light-dark(#8494ab, #71809a);
  --water: light-dark(#2f7fe0, #6cb2ff);
  --hot: light-dark(#e0662b, #ff9b63);
}
body { padding: 0 }
main { display: grid; grid-template-columns: minmax(0, 1fr); gap: 14px; padding: 16px; max-width: 1200px; margin: 0 auto }
.bar { display: flex; flex-wrap: wrap; gap: 8px; justify-content: space-between }
#search { display: flex; flex: 1 1 140px; min-width: 0; max-width: 340px; gap: 8px }
#search input { flex: 1; width: 0 }
.units { display: flex; padding: 2px; gap: 2px; border-radius: var(--round); background: var(--panel-2) }
.units button { min-height: 30px; border: 0; background: none; color: var(--ink-2) }
.units [aria-pressed=true] { background: var(--paper); color: var(--ink); box-shadow: 0 1px 2px #0003 }
.pair { display: grid; grid-template-columns: minmax(0, 1fr); gap: 14px }
#hero {
  display: flex; align-items: center; justify-content: space-between; gap: 12px; min-width: 0;
  padding: 18px 20px; border-radius: var(--round-2);
  background: linear-gradient(120deg, light-dark(#d6e9ff, #16304f), light-dark(#f3f8ff, #1d2430));
}
#hero[data-sky=clear] { background: linear-gradient(120deg, light-dark(#ffe7b3, #4a3410), light-dark(#fff8e6, #262019)) }
#hero[data-sky=fair] { background: linear-gradient(120deg, light-dark(#cfe6ff, #173454), light-dark(#fff3d6, #33291a)) }
#hero[data-sky=cloudy], #hero[data-sky=fog] { background: linear-gradient(120deg, light-dark(#dfe5ee, #2a313c), light-dark(#f5f7fa, #202328)) }
#hero[data-sky=rain] { background: linear-gradient(120deg, light-dark(#cbdcf3, #152c4c), light-dark(#edf3fb, #1e242d)) }
#hero[data-sky=storm] { background: linear-gradient(120deg, light-dark(#d6d2ef, #2a2450), light-dark(#f1effa, #211f2b)) }
#hero > div:first-child { min-width: 0 }
h1 { font-size: 20px; line-height: 1.25; font-weight: 600; overflow-wrap: anywhere }
#now { font-size: 52px; line-height: 1.1; font-weight: 300; letter-spacing: -2px }
#when, #facts { color: var(--ink-2) }
#picture .sky { display: block; width: clamp(72px, 22vw, 132px); height: auto }
.sky { width: 44px; height: 44px }
.sun { fill: var(--sun); stroke: var(--sun); stroke-width: 3; stroke-linecap: round }
.cloud { fill: var(--cloud) } .cloud.far { fill: var(--cloud-far) } .cloud.dark { fill: var(--cloud-dark) }
.drop, .mist { stroke: var(--water); stroke-width: 3; stroke-linecap: round } .mist { stroke: var(--cloud-dark) }
.flake { fill: var(--water) } .bolt { fill: var(--sun) }
#days { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); gap: 8px; margin: 0; padding: 0; list-style: none }
.day {
  display: grid; justify-items: center; gap: 2px; width: 100%; padding: 10px 4px;
  border-color: var(--line); border-radius: var(--round-2); background: var(--panel); font-weight: 400;
}
.day[aria-pressed=true] { border-color: var(--accent); background: var(--accent-paper) }
.day[aria-pressed=true]:hover { background: var(--accent-paper) }
.day .name { font-weight: 600 }
.day .rain { display: flex; align-items: center; gap: 3px; color: var(--accent); font-size: 12px }
.day .rain svg { width: 9px; height: 12px; fill: currentColor }
.temps > span { color: var(--ink-3) }
#chart { min-width: 0; height: 150px }
#chart svg { display: block; width: 100% }
#chart text { font-size: 11px; fill: var(--ink-3) }
#chart text.value { font-size: 13px; font-weight: 600; fill: var(--ink) }
.grid { stroke: var(--line); stroke-width: 1 }
.curve { fill: none; stroke: var(--hot); stroke-width: 2.5; stroke-linecap: round }
.point { fill: var(--paper); stroke: var(--hot); stroke-width: 2.5 }
.area { fill: url(#fade) }
.fade-top { stop-color: var(--hot); stop-opacity: .32 } .fade-end { stop-color: var(--hot); stop-opacity: 0 }
footer { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 14px }
footer .note:last-child { margin-left: auto }
a { color: var(--accent); border-radius: 2px }
#status { padding: 0 16px }
#status:empty { padding: 0 }
#status:not(:empty) { padding-bottom: 14px }
body:has(#app[hidden]) #status { padding: 24px 16px; text-align: center }
@media (max-width: 479px) {
  #search { max-width: none }
  #days { grid-auto-flow: row; gap: 6px }
  .day { grid-template-columns: 3.2em 34px 1fr auto; align-items: center; justify-items: start; gap: 8px; padding: 2px 12px }
  .day .sky { width: 34px; height: 34px }
  #hero { padding: 14px 16px }
  #now { font-size: 44px }
}
@media (max-width: 339px) { #search { flex-basis: 100% } }
@media (min-width: 800px) { .pair { grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); align-items: center } }
`;

const body = `<main id="app" hidden>
  <div class="bar">
    <form id="search" role="search" data-needs="serverTools">
      <input id="other" aria-label="Another city" placeholder="Another city" maxlength="60" autocomplete="off">
      <button>Show</button>
    </form>
    <div class="units" role="group" aria-label="Unit">
      <button type="button" id="celsius" aria-label="°C, Celsius">°C</button>
      <button type="button" id="fahrenheit" aria-label="°F, Fahrenheit">°F</button>
    </div>
  </div>
  <div class="pair">
    <section id="hero" aria-labelledby="city">
      <div><h1 id="city"></h1><p id="when"></p><p id="now"></p><p id="facts"></p></div>
      <div id="picture"></div>
    </section>
    <div id="chart" role="img"></div>
  </div>
  <ol id="days" aria-label="Days"></ol>
  <footer>
    <button type="button" class="main" id="tell" data-needs="message">Tell the chat</button>
    <a id="link" href="https://en.wikipedia.org/wiki/Weather_forecasting" data-needs="openLinks">How forecasts are made</a>
    <p class="note">This weather is made up.</p>
  </footer>
</main>
<p id="status" class="note" role="status">Waiting for the forecast…</p>`;

/** The weather app's document. */
export const WEATHER_PAGE: Page = {
  name: "weather/forecast",
  title: "Weather",
  style,
  body,
  script: [
    fill,
    make,
    draw,
    byId,
    startApp,
    hideUnsupported,
    problemOf,
    textOf,
    skyName,
    drawSky,
    drawDrop,
    drawChart,
    showWeather,
  ],
};
