/**
 * What a host can do: this one, or one that it imitates.
 *
 * @module
 */
import type { DisplayMode, HostContext } from "@vitrine/protocol";

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
  /** What else its apps are told. */
  readonly context?: HostContext | undefined;
  /** What its policy lets through that this sandbox does not, or keeps out that this one lets through; for people to read. */
  readonly csp?: { readonly allows: readonly string[]; readonly blocks: readonly string[] } | undefined;
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

/** This host: all that MCP Apps name, under a policy that adds nothing to what an app declares. */
export const STRICT: Profile = {
  id: "strict",
  title: "Vitrine, strict",
  description:
    "Everything that MCP Apps name, under a policy that allows what an app declares and nothing else: no eval, no inline workers, no address that is not named.",
  displayModes: ["inline", "fullscreen", "pip"],
  abilities: ALL,
  sources: {},
};
