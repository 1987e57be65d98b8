/**
 * Devices that an app can be rendered on. The page tells the app about them.
 *
 * @module
 */
import type { RenderRequest } from "@vitrine/workbench";

/** A screen. */
export interface RenderDevice {
  readonly name: RenderRequest["device"];
  readonly viewport: { readonly width: number; readonly height: number };
  readonly scale: number;
  readonly isMobile: boolean;
}

/** By the name on the command line. */
export const DEVICES: Readonly<Record<RenderDevice["name"], RenderDevice>> = {
  desktop: { name: "desktop", viewport: { width: 1280, height: 800 }, scale: 1, isMobile: false },
  tablet: { name: "tablet", viewport: { width: 820, height: 1180 }, scale: 2, isMobile: true },
  mobile: { name: "mobile", viewport: { width: 390, height: 844 }, scale: 3, isMobile: true },
};
