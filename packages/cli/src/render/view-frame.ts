/**
 * The app's own frame in the page: what it shows, and how to get at it from outside.
 *
 * @module
 */
import type { Frame, Locator, Page } from "playwright-core";

/** Characters of an app's text that are told. */
const MOST_TEXT = 100_000;
/** Milliseconds that an app may take to say what it shows: then it does not respond. */
const PATIENCE = 5_000;
/** Milliseconds that it may take to draw: what is not seen is not drawn at all. */
const FRAMES = 1_000;

/**
 * The frame of the app: inside of the sandbox's own, which is the only one of the page. The browser has told of them: to
 * look for them in the page would need a script there, larger than all that it has itself.
 */
export const viewFrame = (page: Page): Frame | undefined =>
  page.mainFrame().childFrames()[0]?.childFrames()[0];

/** Waits until what was changed last is drawn. */
export async function drawn(frame: Frame): Promise<void> {
  const twoFrames = frame.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
  await within(FRAMES, twoFrames, undefined);
}

/** The text that a person sees, also that in the shadow trees of components; undefined if the app does not respond. */
export async function visibleText(frame: Frame): Promise<string | undefined> {
  const text: unknown = await within<unknown>(PATIENCE, frame.evaluate(readText), undefined);
  return typeof text === "string" ? text.slice(0, MOST_TEXT) : undefined;
}

/** Runs in the app's document. */
function readText(): string {
  // An element that is not rendered has all of its text as `innerText`, the source of its scripts included.
  const isRendered = (element: HTMLElement): boolean =>
    element.checkVisibility({ opacityProperty: true }) || getComputedStyle(element).display === "contents";
  // biome-ignore lint/performance/useDomNodeTextContent: what is hidden is not seen.
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

/** An app that spins answers nothing: it is not waited for. */
export async function within<T>(milliseconds: number, work: Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, milliseconds, otherwise);
  });
  // A frame that goes away meanwhile is no fault.
  const done = await Promise.race([work.catch(() => otherwise), late]);
  clearTimeout(timer);
  return done;
}

const APP = "mcp-app iframe";

/** Where the app's frame is in the page. */
export const appBox = async (page: Page): ReturnType<Locator["boundingBox"]> => {
  const app = page.locator(APP);
  return (await app.count()) > 0 ? app.boundingBox() : null;
};

/**
 * A picture of the app alone, as high as it is; of what the host says in its place when there is none. Undefined if the
 * app has no height: there is nothing to take a picture of.
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
  // What is below the edge of the screen is not drawn in every frame.
  if (size && box.y + box.height > size.height)
    await page.setViewportSize({ width: size.width, height: Math.ceil(box.y + box.height) });
  const frame = viewFrame(page);
  if (frame) await drawn(frame);
  const taken = await shown.screenshot({ animations: "allow", timeout, scale });
  if (size) await page.setViewportSize(size);
  return taken;
}
