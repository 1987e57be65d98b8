/**
 * Style variables of MCPJam Inspector for its apps; docs/profiles.md has the source. MCPJam sends the values
 * of the current theme; here one set serves both.
 *
 * @module
 */
import type { StyleVariables } from "@vitrine/protocol";

export const MCPJAM_VARIABLES: StyleVariables = {
  "--color-background-primary": "light-dark(oklch(0.9818 0.0054 95.0986), oklch(0.2679 0.0036 106.6427))",
  "--color-background-secondary": "light-dark(oklch(0.9245 0.0138 92.9892), oklch(0.9818 0.0054 95.0986))",
  "--color-background-tertiary": "light-dark(oklch(0.9245 0.0138 92.9892), oklch(0.213 0.0078 95.4245))",
  "--color-background-inverse": "light-dark(oklch(0.2679 0.0036 106.6427), oklch(0.9818 0.0054 95.0986))",
  "--color-background-ghost":
    "light-dark(oklch(0.9818 0.0054 95.0986 / 0), oklch(0.2679 0.0036 106.6427 / 0))",
  "--color-background-info": "light-dark(oklch(0.93 0.04 259), oklch(0.28 0.06 259))",
  "--color-background-danger": "light-dark(oklch(0.94 0.04 25.331), oklch(0.32 0.08 25.331))",
  "--color-background-success": "light-dark(oklch(0.94 0.05 152.5), oklch(0.3 0.07 152))",
  "--color-background-warning": "light-dark(oklch(0.95 0.06 85.3), oklch(0.3 0.09 55))",
  "--color-background-disabled":
    "light-dark(oklch(0.9818 0.0054 95.0986 / 0.5), oklch(0.2679 0.0036 106.6427 / 0.5))",
  "--color-text-primary": "light-dark(oklch(0.3438 0.0269 95.7226), oklch(0.8074 0.0142 93.0137))",
  "--color-text-secondary": "light-dark(oklch(0.6059 0.0075 97.4233), oklch(0.7713 0.0169 99.0657))",
  "--color-text-tertiary": "light-dark(oklch(0.4334 0.0177 98.6048), oklch(0.7713 0.0169 99.0657 / 0.8))",
  "--color-text-inverse": "light-dark(oklch(1 0 0), oklch(0.2679 0.0036 106.6427))",
  "--color-text-ghost": "light-dark(oklch(0.6059 0.0075 97.4233 / 0.5), oklch(0.7713 0.0169 99.0657 / 0.5))",
  "--color-text-info": "light-dark(oklch(0.623 0.214 259), oklch(0.7 0.18 259))",
  "--color-text-danger": "light-dark(oklch(0.627 0.208 25.331), oklch(0.74 0.18 25.331))",
  "--color-text-success": "light-dark(oklch(0.696 0.17 152.5), oklch(0.78 0.16 152))",
  "--color-text-warning": "light-dark(oklch(0.769 0.188 85.3), oklch(0.83 0.17 85.3))",
  "--color-text-disabled":
    "light-dark(oklch(0.3438 0.0269 95.7226 / 0.5), oklch(0.8074 0.0142 93.0137 / 0.5))",
  "--color-border-primary": "light-dark(oklch(0.7621 0.0156 98.3528), oklch(0.4336 0.0113 100.2195))",
  "--color-border-secondary": "light-dark(oklch(0.8847 0.0069 97.3627), oklch(0.3618 0.0101 106.8928))",
  "--color-border-tertiary":
    "light-dark(oklch(0.8847 0.0069 97.3627 / 0.6), oklch(0.3618 0.0101 106.8928 / 0.6))",
  "--color-border-inverse": "light-dark(oklch(1 0 0 / 0.3), oklch(0.2679 0.0036 106.6427 / 0.15))",
  "--color-border-ghost": "light-dark(oklch(0.8847 0.0069 97.3627 / 0), oklch(0.3618 0.0101 106.8928 / 0))",
  "--color-border-info": "light-dark(oklch(0.623 0.214 259), oklch(0.7 0.18 259))",
  "--color-border-danger": "light-dark(oklch(0.627 0.208 25.331), oklch(0.74 0.18 25.331))",
  "--color-border-success": "light-dark(oklch(0.696 0.17 152.5), oklch(0.78 0.16 152))",
  "--color-border-warning": "light-dark(oklch(0.6832 0.1382 38.744), oklch(0.6724 0.1308 38.7559))",
  "--color-border-disabled":
    "light-dark(oklch(0.7621 0.0156 98.3528 / 0.4), oklch(0.4336 0.0113 100.2195 / 0.4))",
  "--color-ring-primary": "light-dark(oklch(0.6171 0.1375 39.0427), oklch(0.6724 0.1308 38.7559))",
  "--color-ring-secondary":
    "light-dark(oklch(0.6059 0.0075 97.4233 / 0.5), oklch(0.7713 0.0169 99.0657 / 0.5))",
  "--color-ring-inverse": "light-dark(oklch(1 0 0 / 0.7), oklch(0.2679 0.0036 106.6427 / 0.7))",
  "--color-ring-info": "light-dark(oklch(0.623 0.214 259 / 0.5), oklch(0.7 0.18 259 / 0.5))",
  "--color-ring-danger": "light-dark(oklch(0.627 0.208 25.331 / 0.5), oklch(0.74 0.18 25.331 / 0.5))",
  "--color-ring-success": "light-dark(oklch(0.696 0.17 152.5 / 0.5), oklch(0.78 0.16 152 / 0.5))",
  "--color-ring-warning": "light-dark(oklch(0.769 0.188 85.3 / 0.5), oklch(0.83 0.17 85.3 / 0.5))",
  "--font-sans":
    'ui-sans-serif, system-ui, -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',
  "--font-mono":
    'ui-monospace, SFMono-Regular, Menlo, Monaco, Consolas, "Liberation Mono", "Courier New", monospace',
  "--font-weight-normal": "400",
  "--font-weight-medium": "500",
  "--font-weight-semibold": "600",
  "--font-weight-bold": "700",
  "--font-text-xs-size": "12px",
  "--font-text-sm-size": "14px",
  "--font-text-md-size": "15px",
  "--font-text-lg-size": "18px",
  "--font-heading-xs-size": "12px",
  "--font-heading-sm-size": "14px",
  "--font-heading-md-size": "16px",
  "--font-heading-lg-size": "20px",
  "--font-heading-xl-size": "24px",
  "--font-heading-2xl-size": "30px",
  "--font-heading-3xl-size": "36px",
  "--font-text-xs-line-height": "1.4",
  "--font-text-sm-line-height": "1.5",
  "--font-text-md-line-height": "1.5",
  "--font-text-lg-line-height": "1.4",
  "--font-heading-xs-line-height": "1.4",
  "--font-heading-sm-line-height": "1.4",
  "--font-heading-md-line-height": "1.3",
  "--font-heading-lg-line-height": "1.25",
  "--font-heading-xl-line-height": "1.2",
  "--font-heading-2xl-line-height": "1.15",
  "--font-heading-3xl-line-height": "1.1",
  "--border-radius-xs": "4px",
  "--border-radius-sm": "6px",
  "--border-radius-md": "8px",
  "--border-radius-lg": "10px",
  "--border-radius-xl": "12px",
  "--border-radius-full": "9999px",
  "--border-width-regular": "1px",
  "--shadow-hairline": "0 1px 2px 0 rgba(0, 0, 0, 0.04)",
  "--shadow-sm": "0 1px 2px 0 rgba(0, 0, 0, 0.06), 0 1px 3px 0 rgba(0, 0, 0, 0.04)",
  "--shadow-md": "0 4px 6px -1px rgba(0, 0, 0, 0.08), 0 2px 4px -2px rgba(0, 0, 0, 0.06)",
  "--shadow-lg": "0 10px 15px -3px rgba(0, 0, 0, 0.1), 0 4px 6px -4px rgba(0, 0, 0, 0.05)",
};
