/**
 * Messages of an app in its conversation.
 *
 * @module
 */
import type { GatewayClient, GatewayView } from "@vitrine/host/gateway";
import type { Params, Tool } from "@vitrine/protocol";

/** Sends messages for one app. A rejection is the app's answer. */
export interface AppVoice {
  message(params: Params<"ui/message">): Promise<void>;
  context(params: Params<"ui/update-model-context">): Promise<void>;
  tools(tools: readonly Tool[]): Promise<void>;
}

/**
 * Lets a view send messages to its conversation, even after the page shows another one while the app
 * finishes.
 */
export function appVoice(gateway: GatewayClient, conversation: string, view: GatewayView): AppVoice {
  // The gateway's name of the view, which changes when the gateway restarts.
  const speaker = () => ({ id: conversation, view: view.opened.view });
  return {
    async message({ content }) {
      await gateway.request("conversation/send", { ...speaker(), content });
    },
    async context({ content, structuredContent }) {
      await gateway.request("conversation/context", { ...speaker(), content, structuredContent });
    },
    async tools(tools) {
      await gateway.request("conversation/app-tools", { ...speaker(), tools: [...tools] });
    },
  };
}
