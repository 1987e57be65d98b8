/**
 * A host on the official `AppBridge`, as small and fast as its documentation allows: the resource is read
 * while the proxy page loads, and once for all apps that share it.
 */
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
import { ANSWER, INFO, PROXY, readResource, serveBench } from "./page.ts";

serveBench({
  show(app, place) {
    const bridge = new AppBridge(null, INFO, { serverTools: {} }, { hostContext: { theme: "light" } });
    const resource = readResource(app);
    bridge.onsandboxready = async () => {
      const [content] = (await resource).contents;
      await bridge.sendSandboxResourceReady({ html: content?.text ?? "" });
    };
    bridge.oncalltool = async () => ANSWER;
    bridge.onsizechange = ({ height }) => {
      if (height !== undefined) iframe.style.height = `${height}px`;
    };
    const ready = new Promise<void>((resolve) => {
      bridge.oninitialized = () => resolve();
    });
    const iframe = document.createElement("iframe");
    iframe.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
    place.append(iframe);
    const target = iframe.contentWindow;
    if (!target) throw new Error("no frame");
    const connected = bridge.connect(new PostMessageTransport(target, target));
    void connected.then(() => {
      iframe.src = PROXY.href;
    });
    return {
      frame: () => iframe,
      sendInput: (input) => void ready.then(() => bridge.sendToolInput({ arguments: input })),
      sendResult: (result) => {
        if (typeof result === "string") throw new Error("AppBridge takes objects");
        // Without a task in between once the view is ready, so that the whole stall belongs to it.
        void ready.then(() => bridge.sendToolResult(result));
      },
    };
  },
});
