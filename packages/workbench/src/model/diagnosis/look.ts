/**
 * Host context settings of an app, as chosen by the user.
 *
 * @module
 */
import type { DisplayMode, HostContext } from "@vitrine/protocol";
import type { Profile } from "../profiles/profile.js";

/** Settings that can change while an app runs. Undefined values come from the browser. */
export interface Look {
  theme?: "light" | "dark" | undefined;
  locale?: string | undefined;
  timeZone?: string | undefined;
  platform?: HostContext["platform"] | undefined;
  touch?: boolean | undefined;
  hover?: boolean | undefined;
  safeAreaInsets?: HostContext["safeAreaInsets"] | undefined;
  displayMode?: DisplayMode | undefined;
  /** Pixels. */
  width?: number | undefined;
  maxHeight?: number | undefined;
  /** A height that the app cannot change. */
  height?: number | undefined;
}

/** The part of an app's context that a look and a profile decide. */
export function contextOf(look: Look, profile: Profile): HostContext {
  const { theme, locale, timeZone, platform, touch, hover, safeAreaInsets } = look;
  const hasDevice = touch !== undefined || hover !== undefined;
  return {
    ...profile.context,
    ...(theme && { theme }),
    ...(locale && { locale }),
    ...(timeZone && { timeZone }),
    ...(platform && { platform }),
    ...(hasDevice && { deviceCapabilities: { touch: touch ?? false, hover: hover ?? false } }),
    ...(safeAreaInsets && { safeAreaInsets }),
  };
}

/** Sets the available size. It updates one object, because the frame reads it each time. */
export function setDimensions(
  room: { height?: number; maxHeight?: number; maxWidth?: number },
  look: Look,
  profile: Profile,
  windowHeight: number = globalThis.innerHeight,
): void {
  const { height } = look;
  const share = profile.maxHeightOfWindow && Math.round(profile.maxHeightOfWindow * windowHeight);
  // A device has its own limit: the smaller one counts.
  const limits = [look.maxHeight, profile.maxHeight, share].filter((limit) => limit !== undefined);
  const maxHeight = limits.length > 0 ? Math.min(...limits) : undefined;
  for (const [key, value] of Object.entries({ height, maxHeight, maxWidth: profile.maxWidth })) {
    if (value === undefined) Reflect.deleteProperty(room, key);
    else Reflect.set(room, key, value);
  }
}
