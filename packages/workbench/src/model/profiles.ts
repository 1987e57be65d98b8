/**
 * Hosts that the workbench can imitate, as far as their limits are documented. What no source says is as in
 * the specification. docs/profiles.md says how to add one.
 *
 * @module
 */
import { type DisplayMode, NARROWINGS } from "@vitrine/protocol";
import { type Abilities, type Profile, type Source, SPEC, STRICT } from "./profile.js";

/** When the sources were read, in copies that may be older; what is written there changes. */
const READ = "2026-11-15";
const at = (url: string, note: string): Source => ({ url, date: READ, note });

const able = (missing: Partial<Abilities>): Abilities => ({ ...SPEC.abilities, ...missing });

const VSCODE = "https://github.com/microsoft/vscode/blob/main/src/vs/workbench/contrib";

const CHATGPT: Profile = {
  id: "chatgpt",
  title: "ChatGPT",
  description:
    "All display modes, and no limit to the height of an inline app. Files cannot be saved by ui/download-file. Its window.openai is not imitated. What its policy adds is not documented, and is as in the specification.",
  displayModes: ["inline", "fullscreen", "pip"],
  abilities: able({ downloadFile: false }),
  narrow: [],
  sources: {
    displayModes: at(
      "https://docs.skybridge.tech/api-reference/use-display-mode",
      "Inline, fullscreen and pip, in ChatGPT too; on phones pip becomes fullscreen.",
    ),
    abilities: at(
      "https://docs.skybridge.tech/api-reference/use-download",
      "A download that is asked for in ChatGPT answers isError. Messages and model context are in https://developers.openai.com/apps-sdk/reference.",
    ),
    maxHeight: at(
      "https://dev.to/abewheeler/chatgpt-app-display-mode-reference-49im",
      "Measured by its author: an inline app was given 20,000 pixels, and no limit was told.",
    ),
  },
};

const CLAUDE: Profile = {
  id: "claude",
  title: "Claude (web and desktop)",
  description:
    "Inline and fullscreen, no picture-in-picture. Frames of other sites stay closed even when they are declared, and http origins are dropped from resourceDomains. An inline app has at most 500 pixels of height. Its list of capabilities is not documented, and is as in the specification.",
  displayModes: ["inline", "fullscreen"],
  abilities: SPEC.abilities,
  maxHeight: 500,
  narrow: ["frame-domains", "insecure-resources"],
  allows: ["img-src blob: and https://assets.claude.ai", "frame-src 'self' blob: data:"],
  sources: {
    displayModes: at(
      "https://github.com/anthropics/claude-ai-mcp/issues/60",
      "Open since 2026-02-17: a request for pip is answered with inline; confirmed on 2026-04-21.",
    ),
    maxHeight: at(
      "https://claude.com/docs/connectors/building/mcp-apps/design-guidelines",
      "At most 500 pixels high, for the inline apps of its directory. One of 900 pixels was seen all the same (issue 69 of anthropics/claude-ai-mcp).",
    ),
    narrow: at(
      "https://github.com/anthropics/claude-ai-mcp/issues/40",
      "frameDomains is ignored, and http origins are dropped from resourceDomains, localhost too. Also issue 375 (2026-05-29) and https://github.com/mcp-use/mcp-use/issues/2058 (2026-07-30), which quote the policy in force.",
    ),
    allows: at(
      "https://github.com/anthropics/claude-ai-mcp/issues/40",
      "The policy in force, as it is quoted there.",
    ),
  },
};

const VS_CODE: Profile = {
  id: "vscode",
  title: "VS Code",
  description:
    "Inline only, and at most three quarters of the window high. What it can do for apps is as in the specification, as no source that could be confirmed says otherwise.",
  displayModes: ["inline"],
  abilities: SPEC.abilities,
  narrow: [],
  context: { platform: "desktop" },
  maxHeightOfWindow: 0.75,
  allows: ["workers from where scripts may come: worker-src is not set"],
  sources: {
    displayModes: at(
      "https://github.com/microsoft/vscode/pull/290483",
      "2026-01-26: VS Code supports only inline; the host context in mcpToolCallUI.ts says the same.",
    ),
    context: at(`${VSCODE}/mcp/browser/mcpToolCallUI.ts`, "platform: desktop, unless it runs in a browser."),
    maxHeightOfWindow: at(
      `${VSCODE}/chat/browser/widget/chatContentParts/toolInvocationParts/chatMcpAppSubPart.ts`,
      "maxWebviewHeightPct: 75% of the window's height.",
    ),
    allows: at("https://github.com/microsoft/vscode/issues/331633", "2026-08-19: worker-src is not set."),
  },
};

const GOOSE: Profile = {
  id: "goose",
  title: "goose Desktop",
  description:
    "All display modes. ui/update-model-context is not there. An inline app may be as high as it wants. Its policy is not documented, and is as in the specification.",
  displayModes: ["inline", "fullscreen", "pip"],
  abilities: able({ updateModelContext: false }),
  narrow: [],
  sources: {
    displayModes: at(
      "https://github.com/aaif-goose/goose/issues/8017",
      "2026-03-19: fullscreen and pip controls are done.",
    ),
    abilities: at(
      "https://github.com/aaif-goose/goose/issues/6472",
      "Open: ui/update-model-context; the change that would add it (8044) was closed.",
    ),
    maxHeight: at(
      "https://github.com/aaif-goose/goose/pull/7300",
      "2026-02-18: inline, the width is the host's, and the height has no limit.",
    ),
  },
};

const MCPJAM: Profile = {
  id: "mcpjam",
  title: "MCPJam Inspector",
  description:
    "All display modes. Its renderer does not save files. Its policy follows what the app declares; what it adds is not documented.",
  displayModes: ["inline", "fullscreen", "pip"],
  abilities: able({ downloadFile: false }),
  narrow: [],
  sources: {
    displayModes: at(
      "https://github.com/MCPJam/inspector/blob/main/mcpjam-inspector/client/src/components/chat-v2/thread/mcp-apps/mcp-apps-renderer.tsx",
      "availableDisplayModes: inline, pip, fullscreen.",
    ),
    abilities: at(
      "https://github.com/MCPJam/inspector/blob/main/mcpjam-inspector/client/src/lib/host-styles/built-ins.ts",
      "A comment there: downloadFile is still to be done by the renderer.",
    ),
  },
};

const COPILOT: Profile = {
  id: "m365-copilot",
  title: "Microsoft 365 Copilot",
  description:
    "Inline and fullscreen, no picture-in-picture. Its table of capabilities could not be read in full: they are as in the specification.",
  displayModes: ["inline", "fullscreen"],
  abilities: SPEC.abilities,
  narrow: [],
  sources: {
    displayModes: at(
      "https://learn.microsoft.com/en-us/sharepoint/dev/spfx/copilot/displaymode",
      "A component can render in two layouts inside Microsoft 365 Copilot: inline and fullscreen.",
    ),
  },
};

const ALEXA: Profile = {
  id: "alexa",
  title: "Alexa+",
  description: "Inline and fullscreen, no picture-in-picture. Nothing else of it is documented.",
  displayModes: ["inline", "fullscreen"],
  abilities: SPEC.abilities,
  narrow: [],
  sources: {
    displayModes: at(
      "https://developer.amazon.com/docs/alexaplus/add-ons/mcp-addon-display-modes",
      "You declare inline, fullscreen, or both.",
    ),
  },
};

const CONTINUE: Profile = {
  id: "continue",
  title: "Continue",
  description:
    "Links, messages and logs, and calls of tools of the same server; no model context. An app cannot read resources there either, which is not imitated. Display modes are not mentioned, and are as in the specification.",
  displayModes: SPEC.displayModes,
  abilities: able({ updateModelContext: false }),
  narrow: [],
  sources: {
    abilities: at(
      "https://github.com/continuedev/continue/pull/10132",
      "2026-02-06: open link, message, tool calls and log are supported; resources and model context not yet.",
    ),
  },
};

/** Known hosts. */
export const HOSTS: readonly Profile[] = [CHATGPT, CLAUDE, VS_CODE, GOOSE, MCPJAM, COPILOT, ALEXA, CONTINUE];

/** What all of them have: an app that works here works in each. */
const COMMON: Profile = {
  id: "common",
  title: "Every known host",
  description: `What all of these have in common: ${HOSTS.map(({ title }) => title).join(", ")}. An app that works here can work in each of them.`,
  displayModes: SPEC.displayModes.filter((mode: DisplayMode) =>
    HOSTS.every(({ displayModes }) => displayModes.includes(mode)),
  ),
  abilities: Object.fromEntries(
    Object.entries(SPEC.abilities).map(([name, is]) => [
      name,
      is && HOSTS.every(({ abilities }) => abilities[name as keyof Abilities]),
    ]),
  ) as unknown as Abilities,
  maxHeight: Math.min(...HOSTS.map(({ maxHeight }) => maxHeight ?? Number.POSITIVE_INFINITY)),
  maxHeightOfWindow: Math.min(...HOSTS.map(({ maxHeightOfWindow }) => maxHeightOfWindow ?? 1)),
  narrow: NARROWINGS.filter((each) => HOSTS.some(({ narrow }) => narrow.includes(each))),
  sources: {
    displayModes: at(
      "https://github.com/microsoft/vscode/pull/290483",
      "The least of all: those of VS Code.",
    ),
    abilities: at(
      "https://github.com/aaif-goose/goose/issues/6472",
      "What one of the profiles lacks, this one lacks.",
    ),
    maxHeight: at(
      "https://claude.com/docs/connectors/building/mcp-apps/design-guidelines",
      "The least of all: that of Claude.",
    ),
    maxHeightOfWindow: at(
      `${VSCODE}/chat/browser/widget/chatContentParts/toolInvocationParts/chatMcpAppSubPart.ts`,
      "The least of all: that of VS Code.",
    ),
    narrow: at(
      "https://github.com/anthropics/claude-ai-mcp/issues/40",
      "What one of the profiles keeps out.",
    ),
  },
};

/** All profiles; the first is the one in force when nobody chose. */
export const PROFILES: readonly Profile[] = [STRICT, SPEC, COMMON, ...HOSTS];
