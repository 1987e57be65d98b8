import { useApp, useServerTool, useToolResult } from "@vitrine/view/react";
import { useState } from "react";
import type { Tools } from "../server/app.js";

export function View() {
  const { app, error } = useApp({ appInfo: { name: "my-app", version: "1.0.0" } });
  const first = useToolResult<Tools["greet"]>(app);
  const greet = useServerTool<Tools["greet"]>(app, "greet");
  const [name, setName] = useState("");
  const shown = greet.result ?? first;

  /** Calls the tool from the page. A failure is in `greet.error`. */
  const greetAgain = () => name && greet.call({ name }).catch(() => {});

  if (error) return <p role="alert">Not connected: {error.message}</p>;
  return (
    <>
      <h1 role="status">{shown ? (shown.structuredContent?.greeting ?? "Nobody was greeted.") : "…"}</h1>
      <label>
        Another name{" "}
        <input
          value={name}
          onChange={({ target }) => setName(target.value)}
          onKeyDown={({ key }) => key === "Enter" && greetAgain()}
        />
      </label>{" "}
      <button type="button" onClick={greetAgain}>
        Greet
      </button>
      {greet.error && <p role="alert">{greet.error.message}</p>}
    </>
  );
}
