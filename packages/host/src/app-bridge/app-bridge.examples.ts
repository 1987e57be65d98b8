import type { Client } from "@modelcontextprotocol/client";
import { AppBridge } from "./app-bridge.js";
import { PostMessageTransport } from "./sdk-transport.js";

const info = { name: "chat", version: "1.0.0" };

export async function appBridgeExample(
  client: Client,
  iframe: HTMLIFrameElement,
  proxy: string,
  html: string,
) {
  //#region appBridge
  const capabilities = { serverTools: {}, openLinks: {} };
  const bridge = new AppBridge(client, info, capabilities, { hostContext: { theme: "dark" } });
  bridge.onopenlink = async ({ url }) => ({ isError: !window.open(url, "_blank", "noopener") });
  bridge.onsizechange = ({ height }) => {
    if (height !== undefined) iframe.style.height = `${height}px`;
  };
  bridge.onsandboxready = () => void bridge.sendSandboxResourceReady({ html });
  const target = iframe.contentWindow as Window;
  await bridge.connect(new PostMessageTransport(target, target));
  iframe.src = proxy;
  const input = { city: "Rome" };
  await bridge.sendToolInput({ arguments: input });
  await bridge.sendToolResult(await client.callTool({ name: "forecast", arguments: input }));
  //#endregion appBridge
}

export async function postMessageTransportExample(bridge: AppBridge, iframe: HTMLIFrameElement) {
  //#region postMessageTransport
  const target = iframe.contentWindow as Window;
  const { origin } = new URL(iframe.src);
  await bridge.connect(new PostMessageTransport(target, target, { origin }));
  //#endregion postMessageTransport
}
