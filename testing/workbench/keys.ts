/**
 * A user without a pointer: moves by Tab, and sees where the focus is.
 */
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** Presses of Tab after which a place counts as unreachable. */
const MOST = 120;

/** Drives a page by keys alone. */
export class Keys {
  readonly #page: Page;
  /** Elements that had the focus without any sign of it. */
  readonly unseen = new Set<string>();

  constructor(page: Page) {
    this.#page = page;
  }

  /** Presses keys one after another. */
  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.#page.keyboard.press(key);
  }

  type(text: string): Promise<void> {
    return this.#page.keyboard.type(text);
  }

  /** Presses Tab (or `Shift+Tab`) until an element has the focus. */
  async tabTo(place: Locator, key = "Tab"): Promise<void> {
    for (let pressed = 0; pressed <= MOST; pressed++) {
      if (await this.isOn(place)) return;
      await this.press(key);
      await this.#look();
    }
    throw new Error(`${MOST} times ${key} did not lead to ${place}, but to ${await this.focused()}`);
  }

  /** Whether an element has the focus. */
  isOn(place: Locator): Promise<boolean> {
    return place.evaluateAll((elements) =>
      elements.some((element) => {
        const root = element.getRootNode() as Document | ShadowRoot;
        return root.activeElement === element;
      }),
    );
  }

  async expectOn(place: Locator): Promise<void> {
    await expect.poll(() => this.isOn(place), { message: `focus on ${place}` }).toBe(true);
  }

  /** The focused element as text. */
  focused(): Promise<string> {
    return this.#page.evaluate(() => {
      let element = document.activeElement;
      while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
      return element?.cloneNode(false) instanceof Element
        ? (element.cloneNode(false) as Element).outerHTML.slice(0, 160)
        : "nothing";
    });
  }

  /** Notes a focus that the user cannot see: no outline on the element or on a box around it. An app draws its own. */
  async #look(): Promise<void> {
    const isSeen = await this.#page.evaluate(() => {
      let element: Element | null = document.activeElement;
      while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
      if (!element || element === document.body || element instanceof HTMLIFrameElement) return true;
      const { width, height } = element.getBoundingClientRect();
      if (width * height === 0) return false;
      for (let depth = 0; element && depth < 4; depth++, element = element.parentElement) {
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
        if ((outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none") return true;
      }
      return false;
    });
    if (!isSeen) this.unseen.add(await this.focused());
  }
}
