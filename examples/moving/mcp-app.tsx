//#region forecast
import type { Client } from "@modelcontextprotocol/client";
import { clientUpstream, standardGuard } from "@vitrine/guard";
import { askInFrame, type FrameView } from "@vitrine/host";
import { McpApp } from "@vitrine/host/react";
import type { CallToolResult } from "@vitrine/protocol";
import { useMemo } from "react";

interface ForecastProps {
  client: Client;
  view: FrameView;
  input?: Record<string, unknown>;
  result?: CallToolResult;
}

export function Forecast({ client, view, input, result }: ForecastProps) {
  // A server has one guard: share it if you show several apps of it.
  const { upstream, guard } = useMemo(() => {
    const upstream = clientUpstream(client, { server: "Weather" });
    return { upstream, guard: standardGuard(upstream, { ask: askInFrame }) };
  }, [client]);
  return (
    <McpApp
      info={{ name: "my-chat", version: "1.0.0" }}
      title="Forecast"
      view={view}
      upstream={upstream}
      guard={guard}
      input={input}
      result={result}
      context={{ theme: "dark" }}
      handlers={{ openLink: ({ url }) => void window.open(url, "_blank", "noopener") }}
      fallback={() => JSON.stringify(result?.content)}
    />
  );
}
//#endregion forecast
