/**
 * Detects whether an app shows anything. It compares screenshots, not the document: an app may draw on a
 * canvas, show one image, or be tiny, and text can be hidden by a style sheet.
 *
 * @module
 */
import type { Frame, Page } from "playwright-core";
import { appBox, drawn, picture, visibleText, within } from "./view-frame.js";

/** The visible part of an app. */
export interface Drawing {
  /** Undefined if the app does not respond. */
  readonly text: string | undefined;
  /** The problem, if nothing of the app is visible. */
  readonly lack?: "blank" | "zero-height" | "still-loading" | undefined;
}

/** Milliseconds that a settled app gets to draw something: some load their data first. */
const DRAW_TIMEOUT = 10_000;
/** Milliseconds that an app may take to respond. */
const ANSWER = 5_000;
/** Milliseconds between checks. */
const LOOK = 500;
/** Pixels of a corner that an app's border may round off. */
const CORNER = 9;
/** Pixels from which an image beside text is more than a spinner. */
const SPINNER = 64;

/** Loading texts. */
const LOADING =
  /^(loading|please wait|waiting|connecting|initiali[sz]ing|fetching|starting)\b.{0,60}$|^[.…\s]+$/i;

/** Checks an app repeatedly while nothing is visible, for some seconds or until the timeout. */
export async function drawingOf(page: Page, frame: Frame, timeout: number): Promise<Drawing> {
  const deadline = Date.now() + Math.min(DRAW_TIMEOUT, timeout);
  let last: Drawing | undefined;
  for (;;) {
    const seen = await look(page, frame, Math.max(ANSWER, deadline - Date.now()));
    // Without a screenshot, the last check with one counts.
    const drawing = seen.isUnseen && last ? last : seen;
    if (!drawing.lack || Date.now() >= deadline) return drawing;
    last = drawing;
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
}

async function look(page: Page, frame: Frame, timeout: number): Promise<Drawing & { isUnseen?: boolean }> {
  const text = await visibleText(frame);
  if (text === undefined) return { text };
  const box = await appBox(page);
  if (!box || box.width < 1 || box.height < 1)
    return {
      text,
      lack: (await within(ANSWER, frame.evaluate(hasContent), false)) ? "zero-height" : "blank",
    };
  const isEmpty = await isBlank(page, frame, timeout);
  if (isEmpty === undefined) return { text, isUnseen: true };
  if (isEmpty) return { text, lack: "blank" };
  const lines = text.split("\n").filter((line) => line.trim());
  const isLoading = lines.length > 0 && lines.every((line) => LOADING.test(line.trim()));
  const hasOnlyText = isLoading && !(await within(ANSWER, frame.evaluate(hasPicture, SPINNER), true));
  return hasOnlyText ? { text, lack: "still-loading" } : { text };
}

/**
 * Whether everything has one colour, and hiding the app's elements changes no pixel: a canvas filled with one
 * colour, or a dot in a corner, does make a difference. Undefined if the browser takes no screenshot in time.
 */
async function isBlank(page: Page, frame: Frame, timeout: number): Promise<boolean | undefined> {
  const before = await glance(page, timeout);
  if (!before) return undefined;
  if (!(await isOneColour(page, before))) return false;
  await within(ANSWER, frame.evaluate(hideContent), undefined);
  await drawn(frame);
  const without = await glance(page, timeout);
  await within(ANSWER, frame.evaluate(showContent), undefined);
  return without?.equals(before);
}

/**
 * A screenshot of the visible part of the app; of the whole app, if it continues below and is one colour so
 * far.
 */
async function glance(page: Page, timeout: number): Promise<Buffer | undefined> {
  const box = await appBox(page);
  const screen = page.viewportSize();
  if (!box || !screen) return undefined;
  const height = Math.min(box.height, screen.height - box.y);
  if (height < 1) return undefined;
  const clip = { ...box, height };
  // An app in an endless loop has no screenshot: another check reports it.
  const onScreen = await within<Buffer | undefined>(
    timeout,
    page.screenshot({ clip, scale: "css", animations: "allow", timeout }),
    undefined,
  );
  if (!onScreen || height === box.height || !(await isOneColour(page, onScreen))) return onScreen;
  // This needs a larger viewport, which the app may notice.
  return picture(page, timeout, "css");
}

/** Whether all pixels are the same, except in corners that a border may round off. */
const isOneColour = (page: Page, png: Buffer): Promise<boolean> =>
  page.evaluate(hasOneColour, { png: png.toString("base64"), corner: CORNER });

/** Runs in the page, which can decode images. */
async function hasOneColour({ png, corner }: { png: string; corner: number }): Promise<boolean> {
  const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const { width, height } = image;
  const context = new OffscreenCanvas(width, height).getContext("2d");
  if (!context) return false;
  context.drawImage(image, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  const colour = pixels[Math.floor(height / 2) * width + Math.floor(width / 2)];
  const isInCorner = (at: number): boolean => {
    const [x, y] = [at % width, Math.floor(at / width)];
    return (x < corner || x >= width - corner) && (y < corner || y >= height - corner);
  };
  return pixels.every((pixel, at) => pixel === colour || isInCorner(at));
}

/** Runs in the app's document: whether any element has a size, even outside of a frame without height. */
function hasContent(): boolean {
  const all = document.body?.querySelectorAll("*:not(script, style, template)") ?? [];
  return [...all].some((element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0;
  });
}

/** Runs in the app's document. */
function hasPicture(least: number): boolean {
  const all = document.querySelectorAll("canvas, img, svg, video, iframe, picture, object, embed");
  return [...all].some((element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > least && height > least;
  });
}

/**
 * Runs in the app's document. A constructed style sheet is not subject to the app's policy, and changes no
 * element.
 */
function hideContent(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("body * { visibility: hidden !important; transition: none !important }");
  document.adoptedStyleSheets.push(sheet);
}

/** Runs in the app's document. */
function showContent(): void {
  document.adoptedStyleSheets.pop();
}
