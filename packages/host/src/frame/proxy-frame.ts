/**
 * The frame of a sandbox proxy, made when it is needed or kept ready before.
 *
 * @module
 */
import { ProxyTransport } from "../proxy-transport.js";
import { browserContext } from "./browser-context.js";
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
}

type Movable = Element & { moveBefore?(node: Node, child: Node | null): void };

const spares = new Map<string, ProxyFrame>();

/**
 * Makes a view quick to show: its process is started, its proxy page loaded and its document fetched, out of sight. The
 * document is text until then: nothing of it is run, and nothing that it names is loaded. Call when a server with apps
 * was connected.
 *
 * @example
 * ```ts source="../frame.examples.ts#warm"
 * // The server was connected, and its UI resources were read and registered with the sandbox.
 * for (const view of views) warm(view);
 * ```
 */
export function warm(view: FrameView): void {
  if (spares.has(view.src)) return;
  const shelf = document.createElement("div");
  shelf.hidden = true;
  document.body.append(shelf);
  const spare = open(view, shelf, "#later");
  spares.set(view.src, spare);
  // What could not be made ready now may load when it is needed.
  spare.transport.onreport = ({ code }) => {
    if (code !== "load_failed" || !spares.delete(view.src)) return;
    spare.transport.close();
    shelf.remove();
  };
  // What a frame asks the browser when it begins: the first answer takes long.
  browserContext();
}

/** Puts a view's frame into its place: the one that was made ready, or a new one. */
export function placeFrame(view: FrameView, place: Movable): ProxyFrame {
  const spare = spares.get(view.src);
  // An iframe that is moved in any other way begins anew; a spare that cannot move still keeps its process warm.
  if (!spare?.transport.isReady || !place.moveBefore) return open(view, place, "");
  spares.delete(view.src);
  const shelf = spare.iframe.parentElement;
  place.moveBefore(spare.iframe, null);
  shelf?.remove();
  spare.transport.load();
  return spare;
}

function open({ src, origin, allow = "" }: FrameView, place: Element, hash: string): ProxyFrame {
  // S02. The proxy's own policy says the same; what is in it gets less.
  const sandbox = "allow-scripts allow-same-origin allow-forms";
  const iframe = make("iframe", { sandbox, allow, src: src + hash });
  place.append(iframe);
  // Without a window, as out of a document or when a page has too many frames, nobody answers: that is a failure too.
  return { iframe, transport: new ProxyTransport({ target: iframe.contentWindow as Window, origin }) };
}
