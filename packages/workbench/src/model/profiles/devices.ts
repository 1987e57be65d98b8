/**
 * Simulated devices for an app.
 *
 * @module
 */
import type { Look } from "../diagnosis/look.js";

/** The part of a look that a device decides. */
export type DeviceLook = Pick<
  Look,
  "platform" | "touch" | "hover" | "safeAreaInsets" | "width" | "maxHeight" | "height"
>;

const NOTHING: Readonly<Record<keyof DeviceLook, undefined>> = {
  platform: undefined,
  touch: undefined,
  hover: undefined,
  safeAreaInsets: undefined,
  width: undefined,
  maxHeight: undefined,
  height: undefined,
};

/** The devices: this one, and three typical ones. */
export const DEVICES = {
  /** This browser's own values. */
  browser: NOTHING,
  desktop: { ...NOTHING, platform: "desktop", touch: false, hover: true, width: 760, maxHeight: 800 },
  tablet: { ...NOTHING, platform: "mobile", touch: true, hover: false, width: 700, maxHeight: 900 },
  mobile: {
    ...NOTHING,
    platform: "mobile",
    touch: true,
    hover: false,
    width: 358,
    maxHeight: 600,
    safeAreaInsets: { top: 47, right: 0, bottom: 34, left: 0 },
  },
} as const satisfies Record<string, DeviceLook>;

/** The name of a device. */
export type DeviceName = keyof typeof DEVICES;
