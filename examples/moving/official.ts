//#region show
import type { Client } from "@modelcontextprotocol/client";
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

/** A view: where the sandbox serves its proxy page, and the document that your page read. */
export interface View {
  src: string;
  html: string;
}

/** Shows a view, and returns its bridge once it is ready. */
export async function showApp(place: Element, client: Client, { src, html }: View): Promise<AppBridge> {
  const iframe = document.createElement("iframe");
  iframe.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
  place.append(iframe);
  const target = iframe.contentWindow as Window;

  const info = { name: "my-chat", version: "1.0.0" };
  const capabilities = { serverTools: {}, serverResources: {}, openLinks: {} };
  const bridge = new AppBridge(client, info, capabilities, { hostContext: { theme: "dark" } });
  bridge.onsandboxready = () => void bridge.sendSandboxResourceReady({ html });
  bridge.onopenlink = async ({ url }) => ({ isError: !window.open(url, "_blank", "noopener") });
  bridge.onsizechange = ({ height }) => {
    if (height !== undefined) iframe.style.height = `${height}px`;
  };
  const ready = new Promise<void>((resolve) => {
    bridge.oninitialized = () => resolve();
  });
  await bridge.connect(new PostMessageTransport(target, target));
  iframe.src = src;
  await ready;
  return bridge;
}
//#endregion show
