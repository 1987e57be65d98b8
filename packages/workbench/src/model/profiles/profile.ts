/**
 * Host profiles: this host, or one that it imitates.
 *
 * @module
 */
import {
  type DisplayMode,
  type HostContext,
  type HostStyles,
  NARROWINGS,
  type Narrowing,
  type ViewDialect,
} from "@vitrine/protocol";
import { WORKBENCH_STYLES } from "./workbench-styles.js";

/** Features for apps, by their capability. */
export interface Abilities {
  openLinks: boolean;
  downloadFile: boolean;
  message: boolean;
  updateModelContext: boolean;
  logging: boolean;
}

/** The source of a fact about a host, with its date. */
export interface Source {
  readonly url: string;
  /** A date such as `2026-11-15`. */
  readonly date: string;
  readonly note?: string | undefined;
}

/** A host as an app sees it. */
export interface Profile {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly displayModes: readonly DisplayMode[];
  readonly abilities: Abilities;
  /** Pixels: maximum width and height of an inline app. */
  readonly maxWidth?: number | undefined;
  readonly maxHeight?: number | undefined;
  /** The maximum height as a fraction of the window's height. */
  readonly maxHeightOfWindow?: number | undefined;
  /** Further host context. */
  readonly context?: HostContext | undefined;
  /** Style variables and fonts. */
  readonly styles: HostStyles;
  /** Restrictions of its policy beyond the declarations of apps: enforced here too. */
  readonly narrow: readonly Narrowing[];
  /** Dialects that it provides to every app. */
  readonly dialects?: readonly ViewDialect[] | undefined;
  /** Permissions of its policy that this sandbox lacks: never granted here, only for information. */
  readonly allows?: readonly string[] | undefined;
  /** The source of each field. Our own profiles need none. */
  readonly sources: Readonly<Partial<Record<keyof Profile, Source>>>;
}

const ALL: Abilities = {
  openLinks: true,
  downloadFile: true,
  message: true,
  updateModelContext: true,
  logging: true,
};

/**
 * MCP Apps exactly: an app's declarations are allowed, and nothing else. Undocumented properties of other
 * hosts default to this.
 */
export const SPEC: Profile = {
  id: "spec",
  title: "The specification",
  description:
    "All features of MCP Apps, under a policy that allows only what an app declares: no eval, no inline workers, no undeclared origins. Some hosts block more.",
  displayModes: ["inline", "fullscreen", "pip"],
  abilities: ALL,
  styles: WORKBENCH_STYLES,
  narrow: [],
  sources: {},
};

/**
 * The default: a policy that is never more lenient than that of the strictest known host. Display modes and
 * features are complete, so that an app's use of them is visible.
 */
export const STRICT: Profile = {
  ...SPEC,
  id: "strict",
  title: "Vitrine, strict",
  description:
    "All features of MCP Apps, under a policy as strict as that of the strictest known host: declared origins are allowed, except for frames of other sites and everything over http.",
  narrow: NARROWINGS,
};

/** The policy of Claude; the rest of its profile is with the others. */
export const CLAUDE_POLICY: Pick<Profile, "id" | "title" | "narrow"> = {
  id: "claude",
  title: "Claude (web and desktop)",
  narrow: ["frame-domains", "insecure-resources"],
};

/** All known hosts that block what the specification allows. Advice names them before their profiles are loaded. */
export const NARROW_HOSTS = [CLAUDE_POLICY];

/** Whether it imitates no other host. */
export const isOurs = ({ id }: Profile): boolean => id === SPEC.id || id === STRICT.id;
