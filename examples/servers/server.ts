import { serve } from "@vitrine/server";
import { weather } from "./weather.js";

await serve(weather);
