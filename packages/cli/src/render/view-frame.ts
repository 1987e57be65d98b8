/**
 * The app's own frame in the page: its text, and access from outside.
 *
 * @module
 */
import type { Frame, Locator, Page } from "playwright-core";

/** Maximum characters of an app's text. */
const MOST_TEXT = 100_000;
/** Milliseconds after which an app counts as unresponsive. */
const RESPONSE_TIMEOUT = 5_000;
/** Milliseconds for drawing: an invisible frame is not drawn at all. */
const FRAMES = 1_000;

/**
 * The app's frame, inside the sandbox's, which is the only one of the page. It uses the browser's frame tree,
 * because a search in the page would need a large script there.
 */
export const viewFrame = (page: Page): Frame | undefined =>
  page.mainFrame().childFrames()[0]?.childFrames()[0];

/** Waits until the last change is drawn. */
export async function drawn(frame: Frame): Promise<void> {
  const twoFrames = frame.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
  await within(FRAMES, twoFrames, undefined);
}

/** The visible text, including shadow trees; undefined if the app does not respond. */
export async function visibleText(frame: Frame): Promise<string | undefined> {
  const text: unknown = await within<unknown>(RESPONSE_TIMEOUT, frame.evaluate(readText), undefined);
  return typeof text === "string" ? text.slice(0, MOST_TEXT) : undefined;
}

/** Runs in the app's document. */
function readText(): string {
  // The `innerText` of an unrendered element is all of its text, including its scripts.
  const isRendered = (element: HTMLElement): boolean =>
    element.checkVisibility({ opacityProperty: true }) || getComputedStyle(element).display === "contents";
  // biome-ignore lint/performance/useDomNodeTextContent: hidden text must not count.
  const seen = (element: HTMLElement): string => (isRendered(element) ? element.innerText : "");
  const parts = document.body ? [seen(document.body)] : [];
  const visit = (root: ParentNode): void => {
    for (const { shadowRoot } of root.querySelectorAll("*")) {
      if (!shadowRoot) continue;
      for (const child of shadowRoot.children)
        if (child instanceof HTMLElement && !/^(STYLE|SCRIPT|TEMPLATE)$/.test(child.tagName))
          parts.push(seen(child));
      visit(shadowRoot);
    }
  };
  visit(document);
  return parts
    .map((part) => part.trim())
    .filter(Boolean)
    .join("\n");
}

/** Limits the wait for an app that may be in an endless loop. */
export async function within<T>(milliseconds: number, work: Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, milliseconds, otherwise);
  });
  // A frame that is removed meanwhile is not an error.
  const done = await Promise.race([work.catch(() => otherwise), late]);
  clearTimeout(timer);
  return done;
}

const APP = "mcp-app iframe";

/** The bounding box of the app's frame. */
export const appBox = async (page: Page): ReturnType<Locator["boundingBox"]> => {
  const app = page.locator(APP);
  return (await app.count()) > 0 ? app.boundingBox() : null;
};

/**
 * A full-height screenshot of the app, or of the host's message in its place. Undefined if the app has no
 * height.
 */
export async function picture(
  page: Page,
  timeout: number,
  scale: "css" | "device" = "device",
): Promise<Buffer | undefined> {
  const app = page.locator(APP);
  const shown = (await app.count()) > 0 ? app : page.locator("mcp-app");
  const size = page.viewportSize();
  const box = await shown.boundingBox();
  if (!box || box.width < 1 || box.height < 1) return undefined;
  // Content below the viewport is not always drawn.
  if (size && box.y + box.height > size.height)
    await page.setViewportSize({ width: size.width, height: Math.ceil(box.y + box.height) });
  const frame = viewFrame(page);
  if (frame) await drawn(frame);
  const taken = await shown.screenshot({ animations: "allow", timeout, scale });
  if (size) await page.setViewportSize(size);
  return taken;
}
