/** A host on the React component of `@mcp-ui/client`, which reads the resource itself and then loads the proxy page. */
import { AppRenderer } from "@mcp-ui/client";
import type { CallToolResult } from "@vitrine/protocol";
import { createRoot } from "react-dom/client";
import { ANSWER, INFO, PROXY, readResource, serveBench } from "./page.ts";

// The component creates a new bridge for every new object.
const SANDBOX = { url: PROXY };
const CAPABILITIES = { serverTools: {} };
const CONTEXT = { theme: "light" };
const onCallTool = async () => ANSWER;

/** State that changes during the life of an app. */
interface Props {
  toolInput?: Record<string, unknown>;
  toolResult?: CallToolResult;
}

serveBench({
  show(app, place) {
    const root = createRoot(place);
    const onReadResource = () => readResource(app);
    let props: Props = {};
    const render = (changes: Props): void => {
      props = { ...props, ...changes };
      root.render(
        <AppRenderer
          toolName={app.tool}
          toolResourceUri={app.uri}
          sandbox={SANDBOX}
          hostInfo={INFO}
          hostCapabilities={CAPABILITIES}
          hostContext={CONTEXT}
          onReadResource={onReadResource}
          onCallTool={onCallTool}
          {...props}
        />,
      );
    };
    return {
      frame: () => place.querySelector("iframe"),
      sendInput: (toolInput) => render({ toolInput }),
      sendResult: (toolResult) => {
        if (typeof toolResult === "string") throw new Error("AppRenderer takes objects");
        render({ toolResult });
      },
    };
  },
});
