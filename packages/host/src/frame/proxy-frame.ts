/**
 * The frame of a sandbox proxy: a new one, or one that was made ready before.
 *
 * @module
 */
import { ProxyTransport } from "../proxy-transport.js";
import { make } from "./chrome.js";

/** What a frame needs to know of a view: what the sandbox gave for it. */
export interface FrameView {
  /** The address of the proxy page. */
  src: string;
  /** The proxy's origin. */
  origin: string;
  /** The features that were granted: the frame's `allow` attribute. */
  allow?: string | undefined;
  /** Whether the view wants a border around it. */
  prefersBorder?: boolean | undefined;
  /** The document has no script: it is shown when it has loaded, without a handshake. */
  static?: boolean | undefined;
}

/** A frame, and the wire to what is in it. */
export interface ProxyFrame {
  iframe: HTMLIFrameElement;
  transport: ProxyTransport;
  /** Of one that was made ready before: to call once its wire has a listener. */
  begin?: () => void;
}

/** What puts a frame that was made ready into a place, if it can, by the address of its proxy page. */
export const spares = new Map<string, (place: Element) => ProxyFrame | undefined>();

/** Puts a view's frame into its place: the one that was made ready, or a new one. */
export const placeFrame = (view: FrameView, place: Element): ProxyFrame =>
  spares.get(view.src)?.(place) ?? openFrame(view, place, "");

/** Makes a frame. */
export function openFrame({ src, origin, allow = "" }: FrameView, place: Element, hash: string): ProxyFrame {
  // S02. The proxy's own policy says the same; what is in it gets less.
  const sandbox = "allow-scripts allow-same-origin allow-forms";
  const iframe = make("iframe", { sandbox, allow, src: src + hash });
  place.append(iframe);
  // Without a window, as out of a document or when a page has too many frames, nobody answers: that is a failure too.
  return { iframe, transport: new ProxyTransport({ target: iframe.contentWindow as Window, origin }) };
}
