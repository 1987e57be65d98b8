/**
 * The look of this page for its apps: the tokens of `ui/styles.css`, under their standard names.
 *
 * @module
 */
import { hostStyles } from "@vitrine/host";
import type { HostStyles, StyleVariable } from "@vitrine/protocol";

/** The page's token for each standard variable that has one. A test compares them. */
export const PAGE_TOKENS = {
  "--color-background-primary": ["--bg", "light-dark(#ffffff, #141517)"],
  "--color-background-secondary": ["--bg-raised", "light-dark(#f7f8fa, #1b1c1f)"],
  "--color-background-tertiary": ["--bg-sunken", "light-dark(#f0f1f4, #101113)"],
  "--color-background-info": ["--accent-soft", "light-dark(#e3ecfb, #1d2c44)"],
  "--color-background-success": ["--good-soft", "light-dark(#e2f4e8, #14301f)"],
  "--color-background-warning": ["--warn-soft", "light-dark(#fdf1da, #38290f)"],
  "--color-background-danger": ["--bad-soft", "light-dark(#fde9e7, #401b18)"],
  "--color-text-primary": ["--text", "light-dark(#1b1d21, #e7e8ea)"],
  "--color-text-secondary": ["--text-soft", "light-dark(#575c66, #a3a8b1)"],
  "--color-text-info": ["--accent", "light-dark(#1a5fd0, #7fb0ff)"],
  "--color-text-success": ["--good", "light-dark(#17713a, #6fcf8f)"],
  "--color-text-warning": ["--warn", "light-dark(#855300, #eab65c)"],
  "--color-text-danger": ["--bad", "light-dark(#b3261e, #ff9a92)"],
  "--color-border-primary": ["--border-strong", "light-dark(#80858f, #767b85)"],
  "--color-border-secondary": ["--border", "light-dark(#dcdfe5, #303238)"],
  "--color-ring-primary": ["--accent", "light-dark(#1a5fd0, #7fb0ff)"],
  "--border-radius-md": ["--radius", "6px"],
} as const satisfies Partial<Record<StyleVariable, readonly [token: string, value: string]>>;

const tokens: Partial<Record<StyleVariable, string>> = Object.fromEntries(
  Object.entries(PAGE_TOKENS).map(([name, [, value]]) => [name, value]),
);

/** The style variables for apps in this page. */
export const WORKBENCH_STYLES: HostStyles = hostStyles({
  variables: {
    ...tokens,
    "--font-sans": 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Vitrine Sans", sans-serif',
    "--font-mono": 'ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", "Vitrine Mono", monospace',
  },
});
