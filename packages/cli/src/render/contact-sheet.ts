/**
 * A contact sheet of a server's apps, drawn by the browser.
 *
 * @module
 */
import type { BrowserContext } from "playwright-core";
import type { Rendered } from "./app-page.js";

/** Draws the sheet. */
export async function contactSheet(
  context: BrowserContext,
  title: string,
  apps: readonly Rendered[],
): Promise<Buffer> {
  const cells = apps.map(({ result: { ok, cause, tool, size }, picture }) => ({
    ok,
    tool,
    about: ok ? `${size.width} × ${size.height}` : (cause?.code ?? ""),
    picture: picture && `data:image/png;base64,${picture.toString("base64")}`,
  }));
  const page = await context.newPage();
  try {
    await page.setViewportSize({ width: Math.min(cells.length, 3) * 424 + 24, height: 400 });
    await page.evaluate(draw, { title, cells });
    return await page.screenshot({ fullPage: true });
  } finally {
    await page.close();
  }
}

interface Cell {
  readonly ok: boolean;
  readonly tool: string;
  readonly about: string;
  readonly picture: string | undefined;
}

/** Runs in an empty page. Names come from the server: they are text, never markup. */
async function draw({ title, cells }: { title: string; cells: readonly Cell[] }): Promise<void> {
  const make = (tag: string, style: string, ...children: (Node | string)[]): HTMLElement => {
    const element = document.createElement(tag);
    element.style.cssText = style;
    element.append(...children);
    return element;
  };
  const pictureOf = async ({ picture }: Cell): Promise<HTMLElement> => {
    const frame = "height:300px;overflow:hidden;background:Canvas";
    if (picture === undefined) return make("div", frame);
    const image = document.createElement("img");
    image.style.cssText = "display:block;width:100%";
    image.src = picture;
    await image.decode();
    return make("div", frame, image);
  };
  const box = "margin:0;border:1px solid #8886;border-radius:8px;overflow:hidden;min-width:0";
  const label = "display:flex;gap:8px;align-items:baseline;padding:8px 12px;border-top:1px solid #8886";
  const figures = await Promise.all(
    cells.map(async (cell) =>
      make(
        "figure",
        box,
        await pictureOf(cell),
        make(
          "figcaption",
          label,
          make("span", `color:${cell.ok ? "#2a9d5c" : "#e5484d"}`, cell.ok ? "✓" : "✗"),
          make("strong", "flex:1;overflow:hidden;text-overflow:ellipsis;white-space:nowrap", cell.tool),
          make("span", "opacity:.7;white-space:nowrap", cell.about),
        ),
      ),
    ),
  );
  document.documentElement.style.colorScheme = "light dark";
  document.body.style.cssText = "margin:24px;font:13px/1.4 system-ui;background:Canvas;color:CanvasText";
  const columns = Math.min(cells.length, 3) || 1;
  document.body.append(
    make("h1", "font-size:16px;margin:0 0 16px", title),
    make("main", `display:grid;gap:24px;grid-template-columns:repeat(${columns},400px)`, ...figures),
  );
}
