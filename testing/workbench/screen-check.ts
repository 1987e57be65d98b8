/**
 * Checks a screen of the workbench as it is now: against its picture, and with axe, in several looks and widths.
 */
import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Album } from "../pictures/album.ts";

/** Colours of the page: `contrast` has the user's own few colours, as with a high-contrast theme of the system. */
export type Look = "light" | "dark" | "contrast";

/** Sizes of the window: a phone, a tablet, a laptop, a large display. */
const SIZES = { 320: 640, 768: 1024, 1280: 800, 2560: 1440 } as const;
export type Width = keyof typeof SIZES;

/** The size and look in which screens are walked through. */
const USUAL: Width = 1280;

/** The looks and widths of a screen. */
export interface ScreenOptions {
  looks?: readonly Look[];
  /** More widths, in the first look. */
  widths?: readonly Width[];
}

/** The checks of one page. */
export class ScreenCheck {
  readonly #page: Page;
  readonly #album: Album;

  constructor(page: Page, album: Album) {
    this.#page = page;
    this.#album = album;
  }

  /** Checks the current screen; afterwards the page is as before. */
  async see(name: string, options: ScreenOptions = {}): Promise<void> {
    const { looks = ["light", "dark"], widths = [] } = options;
    const wrong: string[] = [];
    for (const look of looks) {
      await this.#wear(look);
      wrong.push(...(await this.#look(look === "light" ? name : `${name}-${look}`)));
    }
    await this.#wear(looks[0] ?? "light");
    for (const width of widths) {
      await this.resize(width);
      wrong.push(...(await this.#look(`${name}-${width}`)));
      if (await isWide(this.#page)) wrong.push(`${name}-${width}: the page scrolls to the side`);
    }
    if (widths.length > 0) await this.resize(USUAL);
    await this.#wear("light");
    expect.soft(wrong, name).toEqual([]);
  }

  async resize(width: Width): Promise<void> {
    await this.#page.setViewportSize({ width, height: SIZES[width] });
  }

  async #look(name: string): Promise<string[]> {
    const different = await this.#album.differs(this.#page, name);
    return [
      ...(different === undefined ? [] : [different]),
      ...(await axeFinds(this.#page)).map((each) => `${name}: ${each}`),
    ];
  }

  #wear(look: Look): Promise<void> {
    return this.#page.emulateMedia({
      colorScheme: look === "light" ? "light" : "dark",
      forcedColors: look === "contrast" ? "active" : "none",
    });
  }
}

const isWide = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > innerWidth);

/**
 * Findings that are as they must be. An app's frame is a `<dialog>` with the role of a group: it must be a dialog for full
 * screen, because a frame that moves to another element reloads. React Aria puts a hidden Dismiss button beside each dialog in a
 * popover, outside of the page's landmarks.
 */
const ACCEPTED = [
  { id: "aria-allowed-role", start: '<dialog part="box" role="group"' },
  { id: "region", start: '<div style="display: contents;">' },
];

/** Violations that axe finds in the page; apps are not the page's. */
async function axeFinds(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(async (accepted) => {
    const { axe: run } = globalThis as unknown as { axe: typeof axe };
    const { violations } = await run.run(document, { iframes: false, resultTypes: ["violations"] });
    return violations.flatMap(({ id, nodes }) =>
      nodes
        .filter(({ html }) => !accepted.some((each) => each.id === id && html.startsWith(each.start)))
        .map(({ html, target }) => `${id}: ${target.join(" ")} ${html.slice(0, 200)}`),
    );
  }, ACCEPTED);
}
