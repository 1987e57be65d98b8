/**
 * What a host can do: this one, or one that it imitates.
 *
 * @module
 */
import {
  type DisplayMode,
  type HostContext,
  type HostStyles,
  NARROWINGS,
  type Narrowing,
} from "@vitrine/protocol";
import { WORKBENCH_STYLES } from "./workbench-styles.js";

/** What the page does for apps, by the capability that says so (I13). */
export interface Abilities {
  openLinks: boolean;
  downloadFile: boolean;
  message: boolean;
  updateModelContext: boolean;
  logging: boolean;
}

/** Where a fact about a host was read, and when. */
export interface Source {
  readonly url: string;
  /** Such as `2026-11-15`. */
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
  /** Pixels: the width that an inline app gets at most, and the height that it may have. */
  readonly maxWidth?: number | undefined;
  readonly maxHeight?: number | undefined;
  /** The same as a part of the window's height. */
  readonly maxHeightOfWindow?: number | undefined;
  /** What else its apps are told. */
  readonly context?: HostContext | undefined;
  /** The style variables and fonts that its apps are told (X01, X03). */
  readonly styles: HostStyles;
  /** What its policy keeps out although apps declare it: in force here, too. */
  readonly narrow: readonly Narrowing[];
  /** What its policy lets through that this sandbox does not: never in force here, and for people to read. */
  readonly allows?: readonly string[] | undefined;
  /** For each field, where that is written. Ours needs none. */
  readonly sources: Readonly<Partial<Record<keyof Profile, Source>>>;
}

const ALL: Abilities = {
  openLinks: true,
  downloadFile: true,
  message: true,
  updateModelContext: true,
  logging: true,
};

/** MCP Apps to the letter: what an app declares is allowed, and nothing else. Where no source says otherwise, hosts are so. */
export const SPEC: Profile = {
  id: "spec",
  title: "The specification",
  description:
    "Everything that MCP Apps name, under a policy that allows what an app declares and nothing else: no eval, no inline workers, no address that is not named. Some hosts keep out more.",
  displayModes: ["inline", "fullscreen", "pip"],
  abilities: ALL,
  styles: WORKBENCH_STYLES,
  narrow: [],
  sources: {},
};

/**
 * The one in force when nobody chose: a policy that is never more lenient than that of the strictest known host. Display
 * modes and abilities are complete, as an app must be seen to use them.
 */
export const STRICT: Profile = {
  ...SPEC,
  id: "strict",
  title: "Vitrine, strict",
  description:
    "Everything that MCP Apps name, under a policy as narrow as that of the strictest known host: what an app declares is allowed, but no frames of other sites, and nothing that is loaded over http.",
  narrow: NARROWINGS,
};

/** Whether it imitates nobody. */
export const isOurs = ({ id }: Profile): boolean => id === SPEC.id || id === STRICT.id;
