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
}

/** A frame, and the wire to what is in it. */
export interface ProxyFrame {
  iframe: HTMLIFrameElement;
  transport: ProxyTransport;
  /** Of one that was made ready before: to call once its wire has a listener. */
  begin?: () => void;
}

type Movable = Element & { moveBefore?(node: Node, child: Node | null): void };

/** Frames that were made ready, by the address of their proxy page. */
export const spares = new Map<string, ProxyFrame>();

/** Puts a view's frame into its place: the one that was made ready, or a new one. */
export function placeFrame(view: FrameView, place: Movable): ProxyFrame {
  const spare = spares.get(view.src);
  // An iframe that is moved in any other way begins anew; a spare that cannot move still keeps its process warm.
  if (!spare?.transport.isReady || !place.moveBefore) return openFrame(view, place, "");
  spares.delete(view.src);
  const shelf = spare.iframe.parentElement;
  place.moveBefore(spare.iframe, null);
  shelf?.remove();
  return spare;
}

/** Makes a frame. */
export function openFrame({ src, origin, allow = "" }: FrameView, place: Element, hash: string): ProxyFrame {
  // S02. The proxy's own policy says the same; what is in it gets less.
  const sandbox = "allow-scripts allow-same-origin allow-forms";
  const iframe = make("iframe", { sandbox, allow, src: src + hash });
  place.append(iframe);
  // Without a window, as out of a document or when a page has too many frames, nobody answers: that is a failure too.
  return { iframe, transport: new ProxyTransport({ target: iframe.contentWindow as Window, origin }) };
}
