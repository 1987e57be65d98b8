/**
 * Finds what a page shows in red: with its colours for failures, as text or as background.
 */
import type { Page } from "playwright-core";

/** The texts of red elements in view of their pane, in the order of the document. A red element within another one does not count. */
export const redTexts = (page: Page, within = "body"): Promise<string[]> =>
  page.evaluate((selector) => {
    const probe = document.createElement("span");
    probe.style.color = "var(--bad)";
    probe.style.backgroundColor = "var(--bad-soft)";
    document.body.append(probe);
    const { color, backgroundColor } = getComputedStyle(probe);
    probe.remove();
    const found: string[] = [];
    const hasText = ({ childNodes }: Element): boolean =>
      [...childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim());
    const isRed = (element: Element): boolean => {
      const style = getComputedStyle(element);
      return style.backgroundColor === backgroundColor || (style.color === color && hasText(element));
    };
    const visit = (root: ParentNode): void => {
      for (const element of root.children) {
        if (!element.checkVisibility()) continue;
        if (isRed(element)) found.push(element.textContent.trim());
        else {
          if (element.shadowRoot) visit(element.shadowRoot);
          visit(element);
        }
      }
    };
    for (const part of document.querySelectorAll(selector)) visit(part);
    return found;
  }, within);
