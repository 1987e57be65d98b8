/**
 * The weather app. Runs in the page.
 *
 * @module
 */
import { App } from "@vitrine/view";
import { byId, hideUnsupported, make, problemOf, textOf } from "../../page.js";
import type { Day, Forecast, Unit } from "../forecast.js";
import { drawChart } from "./chart.js";
import { drawDrop, drawSky, skyName } from "./sky.js";

/** State that survives a remount. */
interface Seen {
  forecast: Forecast;
  day: number;
}

const app = new App({ name: "weather/forecast", version: "1.0.0" });
let seen: Seen | undefined;
/** Number of the latest request: answers to earlier ones are ignored. */
let asked = 0;

const say = (text: string, isBad = false): void => {
  byId("status").textContent = text;
  byId("status").classList.toggle("bad", isBad);
};
const degrees = (celsius: number): string =>
  `${Math.round(seen?.forecast.unit === "fahrenheit" ? celsius * 1.8 + 32 : celsius)}°`;
const weekday = (date: string, form: "short" | "long"): string => {
  const name = (locale: string): string =>
    new Date(date).toLocaleDateString(locale, { weekday: form, timeZone: "UTC" });
  try {
    return name(app.getHostContext()?.locale ?? "en");
  } catch {
    // An invalid locale.
    return name("en");
  }
};
const dayName = (index: number, { date }: Day): string => (index === 0 ? "Today" : weekday(date, "long"));

function summary({ forecast, day: index }: Seen): string {
  const day = forecast.days[index];
  if (!day) return "";
  const letter = forecast.unit === "fahrenheit" ? "F" : "C";
  const when = index === 0 ? "today" : `on ${weekday(day.date, "long")}`;
  return `${skyName(day.sky)} in ${forecast.city} ${when}, ${degrees(day.low)} to ${degrees(day.high)}${letter}, ${day.rain} % chance of rain.`;
}

function card(day: Day, index: number, chosen: number): HTMLElement {
  const button = make(
    "button",
    { type: "button", class: "day", "aria-pressed": `${index === chosen}` },
    make("span", { class: "name" }, index === 0 ? "Today" : weekday(day.date, "short")),
    drawSky(day.sky),
    make("span", { class: "unseen" }, skyName(day.sky)),
    make(
      "span",
      { class: "rain" },
      drawDrop(),
      `${day.rain} %`,
      make("span", { class: "unseen" }, " chance of rain"),
    ),
    make(
      "span",
      { class: "temps" },
      make("b", {}, make("span", { class: "unseen" }, "high "), degrees(day.high)),
      " ",
      make("span", {}, make("span", { class: "unseen" }, "low "), degrees(day.low)),
    ),
  );
  button.onclick = () => change({ day: index });
  return make("li", {}, button);
}

function render(): void {
  if (!seen) return;
  const { forecast, day: chosen } = seen;
  const day = forecast.days[chosen];
  if (!day) return;
  byId("city").textContent = forecast.city;
  byId("when").textContent = `${dayName(chosen, day)} · ${skyName(day.sky)}`;
  byId("now").textContent = degrees(day.high);
  const facts = [`Low ${degrees(day.low)}`, `Rain ${day.rain} %`, `Wind ${day.wind} km/h`];
  // A line may break between two facts, not within one.
  byId("facts").textContent = facts.map((fact) => fact.replaceAll(" ", "\u00a0")).join("\u00a0· ");
  byId("picture").replaceChildren(drawSky(day.sky));
  byId("hero").dataset["sky"] = day.sky;
  for (const unit of ["celsius", "fahrenheit"])
    byId(unit).setAttribute("aria-pressed", `${forecast.unit === unit}`);
  // After a click one of them has the focus, which must not be lost.
  const cards = byId("days");
  const focused = [...cards.children].findIndex((each) => each.contains(document.activeElement));
  cards.replaceChildren(...forecast.days.map((each, index) => card(each, index, chosen)));
  cards.querySelectorAll("button")[focused]?.focus();
  const hottest = day.hours.indexOf(day.high);
  const coldest = day.hours.indexOf(day.low);
  byId("chart").setAttribute(
    "aria-label",
    `${dayName(chosen, day)} by the hour: lowest ${degrees(day.low)} at ${coldest}:00, highest ${degrees(day.high)} at ${hottest}:00`,
  );
  drawChart(byId("chart"), day.hours, degrees);
  byId("app").hidden = false;
}

/** Changes the state, stores it, and updates the model's context. */
function change({
  day = seen?.day ?? 0,
  unit,
  forecast = seen?.forecast,
}: Partial<Seen> & { unit?: Unit }): void {
  if (!forecast) return;
  seen = {
    forecast: { ...forecast, unit: unit ?? forecast.unit },
    day: Math.min(day, forecast.days.length - 1),
  };
  app.state.set(seen);
  render();
  if (!app.getHostCapabilities()?.updateModelContext) return;
  const { city, unit: shown, days } = seen.forecast;
  const text = `The user looks at the weather app: ${summary(seen)}`;
  app
    .updateModelContext({
      content: [{ type: "text", text }],
      structuredContent: { city, unit: shown, date: days[seen.day]?.date },
    })
    .catch((error) => say(problemOf(error), true));
}

/** The forecast in a result; throws if there is none. */
function forecastIn(result: Parameters<typeof textOf>[0] & { structuredContent?: unknown }): Forecast {
  textOf(result);
  const { days } = Object(result.structuredContent);
  if (!Array.isArray(days) || days.length === 0) throw new Error("The answer has no forecast in it.");
  // The server has checked the rest against its schema.
  return result.structuredContent as Forecast;
}

async function lookUp(city: string): Promise<void> {
  const mine = ++asked;
  say(`Looking at the sky over ${city}…`);
  try {
    const { unit, days } = seen?.forecast ?? { unit: "celsius", days: { length: 5 } };
    const result = await app.callServerTool({
      name: "lookup",
      arguments: { city, days: days.length, unit },
    });
    const forecast = forecastIn(result);
    if (mine !== asked) return;
    change({ forecast, day: 0 });
    say(`This is ${city}.`);
  } catch (error) {
    if (mine === asked) say(problemOf(error), true);
  }
}

for (const unit of ["celsius", "fahrenheit"] as const) byId(unit).onclick = () => change({ unit });
byId("search").onsubmit = (event) => {
  event.preventDefault();
  const field = byId("other") as HTMLInputElement;
  const city = field.value.trim();
  if (!city) return;
  field.value = "";
  void lookUp(city);
};
const tell = byId("tell") as HTMLButtonElement;
tell.onclick = async () => {
  if (!seen) return;
  tell.disabled = true;
  const text = `${summary(seen)} What should I wear?`;
  try {
    const { isError } = await app.sendMessage({ role: "user", content: [{ type: "text", text }] });
    say(isError ? "The chat did not take it." : "The chat knows.", isError === true);
  } catch (error) {
    say(problemOf(error), true);
  }
  tell.disabled = false;
  tell.focus();
};
byId("link").onclick = async (event) => {
  event.preventDefault();
  const { href: url } = event.currentTarget as HTMLAnchorElement;
  try {
    const { isError } = await app.openLink({ url });
    say(isError ? "The link was not opened." : "");
  } catch (error) {
    say(problemOf(error), true);
  }
};

const announce = ({ arguments: input }: { arguments?: Record<string, unknown> | undefined }): void => {
  if (!seen && typeof input?.["city"] === "string") say(`Looking at the sky over ${input["city"]}…`);
};
app.ontoolinputpartial = announce;
app.ontoolinput = announce;
app.ontoolcancelled = () => say("The forecast was cancelled.", true);
app.ontoolresult = (result) => {
  // After a remount the result comes again, but the stored state wins.
  if (seen) return;
  try {
    change({ forecast: forecastIn(result), day: 0 });
    say("");
  } catch (error) {
    say(problemOf(error), true);
  }
};
app.onhostcontextchanged = () => render();
new ResizeObserver(() => {
  const hours = seen?.forecast.days[seen.day]?.hours;
  if (hours) drawChart(byId("chart"), hours, degrees);
}).observe(byId("chart"));

await app.connect();
hideUnsupported(app.getHostCapabilities());
seen ??= app.state.get<Seen>();
if (seen) {
  say("");
  render();
}
