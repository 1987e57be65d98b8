/**
 * The page that users open.
 *
 * @module
 */
import "@vitrine/host/define";
import "./styles.css";
import { createRoot } from "react-dom/client";
import { Workbench } from "../model/workbench.js";
import { prepareParts } from "./prepare-parts.js";
import { readKept } from "./shell/kept.js";
import { Page } from "./shell/page.js";
import { modeFromAddress, Screen } from "./shell/screen.js";
import { applyTheme, keptTheme } from "./shell/theme.js";

// react-aria adds a style element unless one with this id exists. The page's policy allows none; its rules
// are in our own styles.
document.head.append(Object.assign(document.createElement("meta"), { id: "react-aria-pressable-style" }));

const workbench = new Workbench();
const kept = readKept("profile");
// Also for apps from before a reload, which may have another profile than new ones.
if (kept !== undefined) await workbench.loadProfiles();
const profile = workbench.profiles.find(({ id }) => id === kept);
if (profile) workbench.profile = profile;
applyTheme(workbench, keptTheme());
const root = document.getElementById("root");
if (!root) throw new Error("the page has no root");
createRoot(root).render(<Page workbench={workbench} screen={new Screen(modeFromAddress())} />);
await workbench.start();
void prepareParts(workbench);
// Only the gateway's operator enables it. Otherwise its code is not even loaded.
if (workbench.servers.isTestMode) {
  const { exposeHostTest } = await import("../model/host-test/host-test.js");
  exposeHostTest(workbench, { theme: keptTheme(), onTheme: (theme) => applyTheme(workbench, theme) });
}
