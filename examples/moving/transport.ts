//#region show
import type { Client } from "@modelcontextprotocol/client";
import { type FrameView, ProxyTransport } from "@vitrine/host";
import { AppBridge } from "@vitrine/host/app-bridge";

/** Shows a view that your back end registered with its document. */
export async function showApp(place: Element, client: Client, view: FrameView): Promise<AppBridge> {
  const iframe = document.createElement("iframe");
  iframe.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
  place.append(iframe);
  const target = iframe.contentWindow as Window;

  const info = { name: "my-chat", version: "1.0.0" };
  const capabilities = { serverTools: {}, serverResources: {}, openLinks: {} };
  const bridge = new AppBridge(client, info, capabilities, { hostContext: { theme: "dark" } });
  bridge.onopenlink = async ({ url }) => ({ isError: !window.open(url, "_blank", "noopener") });
  bridge.onsizechange = ({ height }) => {
    if (height !== undefined) iframe.style.height = `${height}px`;
  };
  await bridge.connect(new ProxyTransport({ target, origin: view.origin }));
  iframe.src = view.src;
  return bridge;
}
//#endregion show
