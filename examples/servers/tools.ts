import type { ToolsOf } from "@vitrine/server";
import type { forecast } from "./weather.js";

export type Tools = ToolsOf<[typeof forecast]>;
/** `{ city: string; days: { day: string; high: number }[] }` */
export type Forecast = Tools["forecast"]["result"];
