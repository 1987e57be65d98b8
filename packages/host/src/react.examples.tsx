import type { Guard, Upstream } from "@vitrine/guard";
import type { CallToolResult } from "@vitrine/protocol";
import type { FrameView } from "./frame/proxy-frame.js";
import { McpApp } from "./react.js";

const info = { name: "chat", version: "1.0.0" };
interface WeatherProps {
  view: FrameView;
  upstream: Upstream;
  guard: Guard;
  input: { city: string };
  result?: CallToolResult;
  say(text: string): void;
}

//#region mcpApp
export function Weather({ view, upstream, guard, input, result, say }: WeatherProps) {
  return (
    <McpApp
      title="Weather"
      info={info}
      view={view}
      upstream={upstream}
      guard={guard}
      input={input}
      result={result}
      handlers={{ message: ({ content }) => say(JSON.stringify(content)) }}
      fallback={() => JSON.stringify(result?.content)}
    />
  );
}
//#endregion mcpApp
