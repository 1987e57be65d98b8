import { useApp, useToolResult } from "@vitrine/view/react";
import { useState } from "react";
import { type Greeting, greet, greetingOf } from "./greeting.ts";

export function View() {
  const { app, error } = useApp({ appInfo: { name: "my-app", version: "1.0.0" } });
  const result = useToolResult(app);
  const [again, setAgain] = useState<Greeting>();
  const [name, setName] = useState("");

  async function greetAgain() {
    if (app && name) setAgain(await greet(app, name));
  }

  if (error) return <p role="alert">Not connected: {error.message}</p>;
  return (
    <>
      <h1 role="status">{(again ?? greetingOf(result))?.greeting ?? "…"}</h1>
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
    </>
  );
}
