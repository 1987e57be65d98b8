/** A document and its expected size. */
export interface Layout {
  /** The number in the list of layouts that a view must get right. */
  group?: number;
  name: string;
  html: string;
  natural: number | "flow" | "frame";
  /** The width that it requests, if not the frame's. */
  width?: number;
  /** The width below which part of it cannot be seen. */
  needsWidth?: number;
  /** The frame's initial heights, if not 0, 150 and 600. */
  from?: number[];
  /** It never shows all of its content, by its own rules. */
  clipped?: boolean;
}
export const LAYOUTS: readonly Layout[];
export const TRAPS: readonly Layout[];
/** The address of a layout on the view's origin. */
export function layoutPath(name: string): string;

/** A frame of the host page. */
export interface FrameOptions {
  src: string;
  height: number;
  width?: number;
  /** The largest size that the host grants. */
  max?: number;
  /** The host ignores size changes. */
  ignore?: boolean;
  /** The host applies only the height. */
  fixedWidth?: boolean;
  style?: string;
  /** The frame stays until it is removed; others are removed when many came after them. */
  keep?: boolean;
}
/** Final state of a frame. */
export interface FrameState {
  stable: boolean;
  width: number;
  height: number;
  sizes: { width: number; height: number }[];
}
/** The host page; see `layouts.mjs`. */
export const HOST_PAGE: string;
/** A document that ends with the view's script. */
export function viewPage(
  css: string,
  body: string,
  options?: { doctype?: string; attributes?: string; script?: string },
): string;
/** Content of a known height. */
export function box(height: number, more?: string): string;
export const TEXT: string;
