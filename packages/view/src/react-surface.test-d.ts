/** The official React hooks, called as the official SDK documents them, compile against ours as well. */
import * as official from "@modelcontextprotocol/ext-apps/react";
import * as ours from "./react.js";

const info = { appInfo: { name: "a", version: "1" }, capabilities: {}, autoResize: false, strict: true };

export function OfficialView() {
  const { app, isConnected, error } = official.useApp({ ...info, onAppCreated: (made) => void made.close() });
  official.useHostStyles(app, app?.getHostContext());
  official.useHostStyleVariables(app, app?.getHostContext());
  official.useHostFonts(app, null);
  official.useAutoResize(app, { current: null });
  return [official.useDocumentTheme(), isConnected, error?.message];
}

export function OurView() {
  const { app, isConnected, error } = ours.useApp({ ...info, onAppCreated: (made) => void made.close() });
  ours.useHostStyles(app, app?.getHostContext());
  ours.useHostStyleVariables(app, app?.getHostContext());
  ours.useHostFonts(app, null);
  ours.useAutoResize(app, { current: null });
  return [ours.useDocumentTheme(), isConnected, error?.message];
}
