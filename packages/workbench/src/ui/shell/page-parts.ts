/**
 * The parts of the page that are loaded when they are shown.
 *
 * @module
 */
import { part } from "../part.js";

export const Palette = part("The search", async () => (await import("./palette.js")).default);
export const ShortcutsDialog = part(
  "The list of shortcuts",
  async () => (await import("./shortcuts-dialog.js")).ShortcutsDialog,
);
export const Tour = part("The tour", async () => (await import("./tour.js")).default);
export const ApprovalsDialog = part(
  "The list of permissions",
  async () => (await import("./approvals-dialog.js")).default,
);
export const ServersPane = part(
  "The list of tools",
  async () => (await import("../servers/servers-pane.js")).ServersPane,
);
export const InspectorPane = part(
  "The inspector",
  async () => (await import("../inspector-pane/inspector-pane.js")).InspectorPane,
);
/** The header's controls while inspecting. */
export const InspectTools = part(
  "The controls of the header",
  async () => (await import("./inspect-tools.js")).InspectTools,
);
export const GridDialog = part("The grid", async () => (await import("../grid/grid-dialog.js")).GridDialog);
/** Shown while inspecting, on a narrow screen. */
export const PaneTabs = part("The tabs of the panes", async () => (await import("./pane-tabs.js")).PaneTabs);
/** Recordings are opened while inspecting. */
export const ReplayPlace = part(
  "The playback",
  async () => (await import("../replay/replay-bar.js")).ReplayPlace,
);
/** Loaded with the first question. */
export const QuestionDialogs = part(
  "The question of a server",
  async () => (await import("../questions/question-dialogs.js")).QuestionDialogs,
);

/** Loads what a press of “Inspect” shows. */
export function prepareInspect(): void {
  for (const each of [ServersPane, InspectorPane, InspectTools, PaneTabs, ReplayPlace]) each.prepare();
}
