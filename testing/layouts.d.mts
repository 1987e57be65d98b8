/** A document and what it should come to. */
export interface Layout {
  /** The number in the list of layouts that a view must get right. */
  group?: number;
  name: string;
  html: string;
  natural: number | "flow" | "frame";
  /** The width that it asks for, when not the frame's. */
  width?: number;
  /** The width without which some of it cannot be seen. */
  needsWidth?: number;
  /** The heights of the frame at the start, when not 0, 150 and 600. */
  from?: number[];
  /** By its own rules it never shows all. */
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
  /** The host gives no more than that. */
  max?: number;
  /** The host does not listen. */
  ignore?: boolean;
  /** The host gives the height only. */
  fixedWidth?: boolean;
  style?: string;
  /** It stays until it is removed; others go when many came after them. */
  keep?: boolean;
}
/** What came of a frame. */
export interface FrameState {
  stable: boolean;
  width: number;
  height: number;
  sizes: { width: number; height: number }[];
}
/** The host page; see there. */
export const HOST_PAGE: string;
/** A document whose last script is the view's. */
export function viewPage(
  css: string,
  body: string,
  options?: { doctype?: string; attributes?: string; script?: string },
): string;
/** Content of a known height. */
export function box(height: number, more?: string): string;
export const TEXT: string;
