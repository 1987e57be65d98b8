/**
 * Hosts that the workbench can imitate, as far as their limits are documented. Undocumented properties follow
 * the specification. docs/profiles.md explains how to add one.
 *
 * @module
 */
import { type DisplayMode, NARROWINGS } from "@vitrine/protocol";
import { CLAUDE_VARIABLES } from "./host-styles/claude.js";
import { CLAUDE_FONTS, GOOSE_FONTS } from "./host-styles/fonts.js";
import { GOOSE_VARIABLES } from "./host-styles/goose.js";
import { MCPJAM_VARIABLES } from "./host-styles/mcpjam.js";
import { VSCODE_VARIABLES } from "./host-styles/vscode.js";
import { type Abilities, CLAUDE_POLICY, type Profile, type Source, SPEC, STRICT } from "./profile.js";

/** When the sources were read, possibly from older copies; they change. */
const READ = "2026-11-15";
const at = (url: string, note: string): Source => ({ url, date: READ, note });

/** The style variables of this page, without fonts. */
const NO_FONTS: Profile["styles"] = { variables: SPEC.styles.variables };

const able = (missing: Partial<Abilities>): Abilities => ({ ...SPEC.abilities, ...missing });

const VSCODE = "https://github.com/microsoft/vscode/blob/main/src/vs/workbench/contrib";
/** MCPJam records the hosts' answers to `ui/initialize`. */
const MCPJAM_REPOSITORY = "https://github.com/MCPJam/inspector/blob/main";
const MCPJAM_TEMPLATES = `${MCPJAM_REPOSITORY}/sdk/src/host-config/templates/seed-host-template.ts`;

const CHATGPT: Profile = {
  id: "chatgpt",
  title: "ChatGPT",
  description:
    "All display modes, and no limit to the height of an inline app. Files cannot be saved by ui/download-file. It sends style variables and no fonts; the values of its variables are not published, so they are those of this page. Every app has window.openai. Additions of its policy are not documented; here the policy is as in the specification.",
  displayModes: ["inline", "fullscreen", "pip"],
  abilities: able({ downloadFile: false }),
  styles: NO_FONTS,
  narrow: [],
  dialects: ["apps-sdk"],
  sources: {
    dialects: at(
      "https://developers.openai.com/apps-sdk/reference",
      "ChatGPT provides window.openai to components, for compatibility and for its own extensions.",
    ),
    styles: at(
      `${MCPJAM_REPOSITORY}/mcpjam-inspector/client/src/config/chatgpt-host-context.ts`,
      "ChatGPT has system fonts only, and sends no font rules. The values of its variables are not known.",
    ),
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
      "Measured by its author: an inline app got 20,000 pixels, and no limit was reported.",
    ),
  },
};

const CLAUDE: Profile = {
  ...CLAUDE_POLICY,
  description:
    "Inline and fullscreen, no picture-in-picture, no sampling. Frames of other sites are blocked even when they are declared, and http origins are dropped from resourceDomains. An inline app may be 5,000 pixels high; its guidelines advise at most 500. It sends style variables and its fonts, whose files are not loaded here.",
  displayModes: ["inline", "fullscreen"],
  abilities: SPEC.abilities,
  maxHeight: 5000,
  styles: { variables: CLAUDE_VARIABLES, css: { fonts: CLAUDE_FONTS } },
  allows: ["img-src blob: and https://assets.claude.ai", "frame-src 'self' blob: data:"],
  sources: {
    displayModes: at(
      "https://github.com/anthropics/claude-ai-mcp/issues/60",
      "Open since 2026-02-17: a request for pip is answered with inline; confirmed on 2026-04-21.",
    ),
    maxHeight: at(
      MCPJAM_TEMPLATES,
      "containerDimensions of a recorded ui/initialize: width 720, maxHeight 5000. https://claude.com/docs/connectors/building/mcp-apps/design-guidelines advises 500 for apps of its directory.",
    ),
    styles: at(
      MCPJAM_TEMPLATES,
      "styles of a recorded ui/initialize of claude.ai: every standard variable, and rules for Anthropic Sans from assets.claude.ai.",
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
    "Inline only, and at most three quarters of the window high. ui/message is missing. Its style variables refer to those of its own theme; outside VS Code the values of its default themes are used. It sends no fonts.",
  displayModes: ["inline"],
  abilities: able({ message: false }),
  styles: { variables: VSCODE_VARIABLES },
  narrow: [],
  context: { platform: "desktop" },
  maxHeightOfWindow: 0.75,
  allows: ["workers from where scripts may come: worker-src is not set"],
  sources: {
    displayModes: at(
      "https://github.com/microsoft/vscode/pull/290483",
      "2026-01-26: VS Code supports only inline; the host context in mcpToolCallUI.ts says the same.",
    ),
    abilities: at(
      `${MCPJAM_REPOSITORY}/mcpjam-inspector/client/src/config/vscode-client-context.ts`,
      "Recorded from VS Code 1.121: links, downloads, logs and model context, and no message.",
    ),
    styles: at(
      `${MCPJAM_REPOSITORY}/sdk/src/host-config/templates/vscode-style.ts`,
      "Recorded from VS Code 1.121 and, in both themes, 1.130: every standard variable as a reference to a --vscode- variable, and no fonts.",
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
    "Inline and fullscreen, and only links: it advertises openLinks and nothing else. It does not advertise calls of server tools either; apps here may still make them, because no source says that goose refuses them. The height of an inline app is not limited. It sends style variables and its fonts, whose files are not loaded here. Its policy is not documented, and is as in the specification.",
  displayModes: ["inline", "fullscreen"],
  abilities: able({ downloadFile: false, message: false, updateModelContext: false, logging: false }),
  styles: { variables: GOOSE_VARIABLES, css: { fonts: GOOSE_FONTS } },
  narrow: [],
  sources: {
    displayModes: at(
      MCPJAM_TEMPLATES,
      "goose 1.30 was measured with inline and fullscreen; the record of 1.38 there (2026-06-19) also has pip. The smaller set applies here.",
    ),
    abilities: at(
      MCPJAM_TEMPLATES,
      "The answer to ui/initialize of goose 1.38, recorded on 2026-06-19, has only openLinks; that of 1.30 was the same.",
    ),
    styles: at(
      "https://github.com/aaif-goose/goose/blob/main/ui/desktop/src/theme/theme-tokens.ts",
      "buildMcpHostStyles: every standard variable, and rules for Cash Sans from cash-f.squarecdn.com.",
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
    "All display modes. Its renderer does not save files. It sends style variables and no fonts. Its policy follows the app's declarations; its additions are not documented.",
  displayModes: ["inline", "fullscreen", "pip"],
  abilities: able({ downloadFile: false }),
  styles: { variables: MCPJAM_VARIABLES },
  narrow: [],
  sources: {
    styles: at(
      `${MCPJAM_REPOSITORY}/mcpjam-inspector/client/src/config/mcpjam-client-context.ts`,
      "Every standard variable, for the theme in force, and no font rules.",
    ),
    displayModes: at(
      "https://github.com/MCPJam/inspector/blob/main/mcpjam-inspector/client/src/components/chat-v2/thread/mcp-apps/mcp-apps-renderer.tsx",
      "availableDisplayModes: inline, pip, fullscreen.",
    ),
    abilities: at(
      "https://github.com/MCPJam/inspector/blob/main/mcpjam-inspector/client/src/lib/host-styles/built-ins.ts",
      "A comment there: the renderer does not implement downloadFile yet.",
    ),
  },
};

const COPILOT: Profile = {
  id: "m365-copilot",
  title: "Microsoft 365 Copilot",
  description:
    "Inline and fullscreen, no picture-in-picture. Its table of capabilities could not be read in full: they are as in the specification. Whether it sends style variables or fonts is not documented: apps get those of this page.",
  displayModes: ["inline", "fullscreen"],
  abilities: SPEC.abilities,
  styles: SPEC.styles,
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
  description:
    "Inline and fullscreen, no picture-in-picture. Nothing else is documented: style variables and fonts are those of this page.",
  displayModes: ["inline", "fullscreen"],
  abilities: SPEC.abilities,
  styles: SPEC.styles,
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
    "Links, messages and logs, and calls of tools of the same server; no model context. An app cannot read resources there either, which is not imitated. Display modes, style variables and fonts are not mentioned: modes are as in the specification, styles are those of this page.",
  displayModes: SPEC.displayModes,
  abilities: able({ updateModelContext: false }),
  styles: SPEC.styles,
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

/** The common subset: an app that works here works in each host. */
const COMMON: Profile = {
  id: "common",
  title: "Every known host",
  description: `The features that all of these share: ${HOSTS.map(({ title }) => title).join(", ")}. An app that works here can work in each of them.`,
  displayModes: SPEC.displayModes.filter((mode: DisplayMode) =>
    HOSTS.every(({ displayModes }) => displayModes.includes(mode)),
  ),
  abilities: Object.fromEntries(
    Object.entries(SPEC.abilities).map(([name, is]) => [
      name,
      is && HOSTS.every(({ abilities }) => abilities[name as keyof Abilities]),
    ]),
  ) as unknown as Abilities,
  styles: NO_FONTS,
  maxHeight: Math.min(...HOSTS.map(({ maxHeight }) => maxHeight ?? Number.POSITIVE_INFINITY)),
  maxHeightOfWindow: Math.min(...HOSTS.map(({ maxHeightOfWindow }) => maxHeightOfWindow ?? 1)),
  narrow: NARROWINGS.filter((each) => HOSTS.some(({ narrow }) => narrow.includes(each))),
  sources: {
    displayModes: at(
      "https://github.com/microsoft/vscode/pull/290483",
      "The least of all: those of VS Code.",
    ),
    abilities: at(
      MCPJAM_TEMPLATES,
      "Features that one of the profiles lacks are missing here too: goose has only links.",
    ),
    maxHeight: at(MCPJAM_TEMPLATES, "The least of all: that of Claude."),
    styles: at(
      `${MCPJAM_REPOSITORY}/sdk/src/host-config/templates/vscode-style.ts`,
      "Style variables, and no fonts: VS Code, ChatGPT and MCPJam send none.",
    ),
    maxHeightOfWindow: at(
      `${VSCODE}/chat/browser/widget/chatContentParts/toolInvocationParts/chatMcpAppSubPart.ts`,
      "The least of all: that of VS Code.",
    ),
    narrow: at(
      "https://github.com/anthropics/claude-ai-mcp/issues/40",
      "Everything that one of the profiles blocks.",
    ),
  },
};

/** All profiles; the first is the default. */
export const PROFILES: readonly Profile[] = [STRICT, SPEC, COMMON, ...HOSTS];
