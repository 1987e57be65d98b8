import { WindowTransport } from "@vitrine/protocol";

/** In a host: one frame, on one origin. */
export function toView(iframe: HTMLIFrameElement, origin: string): WindowTransport {
  const target = iframe.contentWindow;
  if (!target) throw new Error("The frame is not in the document");
  return new WindowTransport({ target, origin });
}

/** In a view: the parent window. */
export const toHost = (): WindowTransport =>
  new WindowTransport({ target: window.parent, origin: location.ancestorOrigins?.[0] });
