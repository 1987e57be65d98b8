/** The same view with React. */
import { useApp, useServerTool, useToolInput, useToolInputPartial, useToolResult } from "@vitrine/view/react";
import { createRoot } from "react-dom/client";
import type { Forecast } from "./forecast.ts";

function Weather() {
  const { app, error } = useApp({ appInfo: { name: "weather", version: "1.0.0" } });
  const partial = useToolInputPartial(app);
  const input = useToolInput(app);
  const first = useToolResult(app);
  const again = useServerTool(app, "forecast");

  if (error) return <p>Not connected: {error.message}</p>;
  const forecast = (again.result ?? first)?.structuredContent as Forecast | undefined;
  if (!forecast) return <p>Looking for {String((input ?? partial)?.city ?? "…")}</p>;
  return (
    <>
      <h1>{forecast.city}</h1>
      <p>{forecast.days.length} days</p>
      <ol>
        {forecast.days.map((day) => (
          <li key={day.name}>
            {day.name}
            <span>{day.sky}</span>
            {day.high}° / {day.low}°
          </li>
        ))}
      </ol>
      <button type="button" disabled={again.isPending} onClick={() => again.call({ city: forecast.city })}>
        Refresh
      </button>
    </>
  );
}

createRoot(document.body.appendChild(document.createElement("main"))).render(<Weather />);
