//#region forecast
import { AppRenderer } from "@mcp-ui/client";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";

interface ForecastProps {
  client: Client;
  src: string;
  html: string;
  input?: Record<string, unknown>;
  result?: CallToolResult;
}

export function Forecast({ client, src, html, input, result }: ForecastProps) {
  return (
    <AppRenderer
      client={client}
      toolName="forecast"
      sandbox={{ url: new URL(src) }}
      html={html}
      toolInput={input}
      toolResult={result}
      hostContext={{ theme: "dark" }}
      onOpenLink={async ({ url }: { url: string }) => ({ isError: !window.open(url, "_blank", "noopener") })}
    />
  );
}
//#endregion forecast
