/**
 * The frame of a sandbox proxy: a new one, or a preloaded one.
 *
 * @module
 */
import { ProxyTransport } from "../proxy-transport.js";
import { make } from "./chrome.js";

/** The part of a registered view that a frame needs. */
export interface FrameView {
  /** The address of the proxy page. */
  src: string;
  /** The proxy's origin. */
  origin: string;
  /** The document, for a view that was registered without one, or is shown by the page alone. */
  html?: string | undefined;
  /** The granted features: the frame's `allow` attribute. */
  allow?: string | undefined;
  /** Whether the view wants a border. */
  prefersBorder?: boolean | undefined;
  /** Whether the document has no script: it is shown after loading, without a handshake. */
  static?: boolean | undefined;
  /** Whether the app comes from a snapshot, without its server: the frame says so. */
  saved?: boolean | undefined;
}

/** A frame, and the transport to its content. */
export interface ProxyFrame {
  iframe: HTMLIFrameElement;
  transport: ProxyTransport;
  /** For a preloaded frame: call it once its transport has a listener. */
  begin?: () => void;
}

/** Functions that move a preloaded frame into place, if possible, by the address of its proxy page. */
export const spares = new Map<string, (place: Element, view: FrameView) => ProxyFrame | undefined>();

/** Puts a view's frame into place: the preloaded one, or a new one. */
export const placeFrame = (view: FrameView, place: Element): ProxyFrame =>
  spares.get(view.src)?.(place, view) ?? openFrame(view, place, "");

/** Creates a frame. */
export function openFrame(view: FrameView, place: Element, hash: string): ProxyFrame {
  const { src, origin, allow = "" } = view;
  // The proxy's own policy is the same; its content gets less.
  const sandbox = "allow-scripts allow-same-origin allow-forms";
  const iframe = make("iframe", { sandbox, allow, src: src + hash });
  place.append(iframe);
  // Without a window, as outside a document or with too many frames, nothing answers, which counts as a
  // failure.
  const target = iframe.contentWindow as Window;
  // A preloaded document must not run yet.
  return { iframe, transport: new ProxyTransport({ target, origin, html: hash ? undefined : view.html }) };
}
