/**
 * The host's look for its views: the standard style variables and the host's fonts.
 *
 * @module
 */
import { DEFAULT_STYLE_VARIABLES, type HostStyles, type StyleVariable } from "@vitrine/protocol";

/**
 * A font face of the user's machine. A view's policy allows no fonts, but `local()` loads nothing over the
 * network.
 */
const face = (family: string, weight: string, names: readonly string[]): string =>
  `@font-face { font-family: "${family}"; font-weight: ${weight}; src: ${names.map((name) => `local("${name}")`).join(", ")}; }`;

/**
 * Font rules for a host without its own fonts: "Vitrine Sans" and "Vitrine Mono", made of common system
 * fonts. They work under every view's policy, and load nothing over the network.
 */
export const DEFAULT_FONTS: string = [
  face("Vitrine Sans", "400", [
    ...["Segoe UI", "Helvetica Neue", "Roboto", "Noto Sans"],
    ...["Ubuntu", "Cantarell", "DejaVu Sans", "Liberation Sans", "Arial"],
  ]),
  face("Vitrine Sans", "700", [
    ...["Segoe UI Bold", "Helvetica Neue Bold", "Roboto Bold", "Noto Sans Bold"],
    ...["Ubuntu Bold", "Cantarell Bold", "DejaVu Sans Bold", "Liberation Sans Bold", "Arial Bold"],
  ]),
  face("Vitrine Mono", "400", [
    ...["SF Mono Regular", "Menlo", "Consolas", "Noto Sans Mono"],
    ...["Ubuntu Mono", "DejaVu Sans Mono", "Liberation Mono", "Courier New"],
  ]),
].join("\n");

/** Options of {@link hostStyles}. */
export interface HostStyleOptions {
  /** Your design's values for some or all of the standard variables. Write colours with `light-dark()`. */
  variables?: Partial<Record<StyleVariable, string>> | undefined;
  /** `@font-face` rules of your fonts. A view can load a font file only if its own policy allows it. */
  fonts?: string | undefined;
}

/**
 * The `styles` of a host context: every standard variable, and font rules. Without options it is a complete,
 * accessible design for both themes; pass your own values where it differs.
 *
 * @example
 * ```ts source="./frame.examples.ts#hostStyles"
 * const styles = hostStyles({
 *   variables: { "--color-background-primary": "light-dark(#fffdf8, #201d18)", "--border-radius-md": "10px" },
 * });
 * app.app = { ...options, context: { styles } };
 * // Later, when the user chooses another theme: the same variables serve both.
 * app.frame?.setContext({ styles, theme: "dark" });
 * ```
 */
export function hostStyles({ variables, fonts = DEFAULT_FONTS }: HostStyleOptions = {}): HostStyles {
  return { variables: { ...DEFAULT_STYLE_VARIABLES, ...variables }, css: { fonts } };
}
