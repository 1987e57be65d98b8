/**
 * Applies the host's look to the document: theme, style variables, fonts, safe areas.
 *
 * @module
 */
import type { HostContext, StyleVariables, Theme } from "@vitrine/protocol";

/** The style element that holds the host's font rules. */
let fonts: HTMLStyleElement | undefined;

/**
 * Returns the theme that the document shows now.
 *
 * @example
 * ```ts source="./view.examples.ts#getDocumentTheme"
 * chart.setColors(getDocumentTheme() === "dark" ? "bright" : "muted");
 * ```
 */
export function getDocumentTheme(): Theme {
  const root = document.documentElement;
  return root.dataset.theme === "dark" || root.classList.contains("dark") ? "dark" : "light";
}

/**
 * Sets `data-theme` and `color-scheme` on the document, so that `light-dark()` and `[data-theme]` rules
 * follow the host.
 *
 * @example
 * ```ts source="./view.examples.ts#applyDocumentTheme"
 * const dark = matchMedia("(prefers-color-scheme: dark)");
 * applyDocumentTheme(dark.matches ? "dark" : "light");
 * ```
 */
export function applyDocumentTheme(theme: Theme): void {
  const root = document.documentElement;
  root.dataset.theme = root.style.colorScheme = theme;
}

/**
 * Sets the host's CSS variables on an element, by default on the document. A variable without a value is
 * removed.
 *
 * @example
 * ```ts source="./view.examples.ts#applyHostStyleVariables"
 * const { styles } = app.getHostContext() ?? {};
 * if (styles?.variables) applyHostStyleVariables(styles.variables, widget);
 * ```
 */
export function applyHostStyleVariables(
  variables: Partial<StyleVariables>,
  root: HTMLElement = document.documentElement,
): void {
  for (const [name, value] of Object.entries(variables)) root.style.setProperty(name, value ?? "");
}

/**
 * Inserts the host's font rules. A later call replaces them.
 *
 * @example
 * ```ts source="./view.examples.ts#applyHostFonts"
 * const { styles } = app.getHostContext() ?? {};
 * if (styles?.css?.fonts) applyHostFonts(styles.css.fonts);
 * ```
 */
export function applyHostFonts(css: string): void {
  document.head.append((fonts ??= document.createElement("style")));
  fonts.textContent = css;
}

/**
 * Applies the theme, variables, fonts and safe areas of a host context. Settings of an earlier context that
 * this one omits stay in force. Safe areas become the variables `--safe-area-inset-top`, `-right`, `-bottom`
 * and `-left`, in pixels.
 *
 * @example
 * ```ts source="./view.examples.ts#applyHostContext"
 * const app = new App({ name: "weather", version: "1.0.0" }, {}, { autoTheme: false });
 * app.onhostcontextchanged = (change) => applyHostContext(adapt(change));
 * await app.connect();
 * applyHostContext(adapt(app.getHostContext() ?? {}));
 * ```
 */
export function applyHostContext({ theme, styles, safeAreaInsets }: HostContext = {}): void {
  if (theme) applyDocumentTheme(theme);
  applyHostStyleVariables(styles?.variables ?? {});
  if (styles?.css) applyHostFonts(styles.css.fonts ?? "");
  for (const [side, pixels] of Object.entries(safeAreaInsets ?? {})) {
    applyHostStyleVariables({ [`--safe-area-inset-${side}`]: `${pixels}px` });
  }
}
