/**
 * Style variables of VS Code for its apps; docs/profiles.md has the sources. VS Code refers to its own
 * variables, which only its webviews have; the fallback after each comma is from its default themes.
 *
 * @module
 */
import type { StyleVariables } from "@vitrine/protocol";

export const VSCODE_VARIABLES: StyleVariables = {
  "--color-background-primary": "var(--vscode-editor-background, light-dark(#ffffff, #1e1e1e))",
  "--color-background-secondary": "var(--vscode-sideBar-background, light-dark(#fafafd, #252526))",
  "--color-background-tertiary": "var(--vscode-activityBar-background, light-dark(#fafafd, #333333))",
  "--color-background-inverse": "var(--vscode-editor-foreground, light-dark(#202020, #d4d4d4))",
  "--color-background-ghost": "transparent",
  "--color-background-info": "var(--vscode-inputValidation-infoBackground, light-dark(#e6f2fa, #063b49))",
  "--color-background-danger": "var(--vscode-inputValidation-errorBackground, light-dark(#fdeded, #5a1d1d))",
  "--color-background-success":
    "var(--vscode-diffEditor-insertedTextBackground, light-dark(rgba(88, 124, 12, 0.15), rgba(156, 204, 44, 0.2)))",
  "--color-background-warning":
    "var(--vscode-inputValidation-warningBackground, light-dark(#fdf6e3, #352a05))",
  "--color-background-disabled":
    "var(--vscode-editor-inactiveSelectionBackground, light-dark(rgba(0, 105, 204, 0.1), #3a3d41))",
  "--color-text-primary": "var(--vscode-foreground, light-dark(#202020, #cccccc))",
  "--color-text-secondary":
    "var(--vscode-descriptionForeground, light-dark(#606060, rgba(204, 204, 204, 0.7)))",
  "--color-text-tertiary": "var(--vscode-disabledForeground, light-dark(#bbbbbb, rgba(204, 204, 204, 0.5)))",
  "--color-text-inverse": "var(--vscode-editor-background, light-dark(#ffffff, #1e1e1e))",
  "--color-text-ghost": "var(--vscode-descriptionForeground, light-dark(#606060, rgba(204, 204, 204, 0.7)))",
  "--color-text-info": "var(--vscode-textLink-foreground, light-dark(#0069cc, #3794ff))",
  "--color-text-danger": "var(--vscode-errorForeground, light-dark(#ad0707, #f48771))",
  "--color-text-success": "var(--vscode-testing-iconPassed, light-dark(#73c991, #73c991))",
  "--color-text-warning": "var(--vscode-editorWarning-foreground, light-dark(#bf8803, #cca700))",
  "--color-text-disabled": "var(--vscode-disabledForeground, light-dark(#bbbbbb, rgba(204, 204, 204, 0.5)))",
  "--color-border-primary": "var(--vscode-widget-border, light-dark(#e2e2e5, #303031))",
  "--color-border-secondary":
    "var(--vscode-editorWidget-border, light-dark(#e4e5e6, rgba(204, 204, 204, 0.2)))",
  "--color-border-tertiary": "var(--vscode-panel-border, light-dark(#f0f1f2, rgba(128, 128, 128, 0.35)))",
  "--color-border-inverse": "var(--vscode-foreground, light-dark(#202020, #cccccc))",
  "--color-border-ghost": "transparent",
  "--color-border-info": "var(--vscode-inputValidation-infoBorder, light-dark(#0069cc, #007acc))",
  "--color-border-danger": "var(--vscode-inputValidation-errorBorder, light-dark(#ad0707, #be1100))",
  "--color-border-success": "var(--vscode-testing-iconPassed, light-dark(#73c991, #73c991))",
  "--color-border-warning": "var(--vscode-inputValidation-warningBorder, light-dark(#b69500, #b89500))",
  "--color-border-disabled":
    "var(--vscode-disabledForeground, light-dark(#bbbbbb, rgba(204, 204, 204, 0.5)))",
  "--color-ring-primary": "var(--vscode-focusBorder, light-dark(#0069cc, #007fd4))",
  "--color-ring-secondary": "var(--vscode-focusBorder, light-dark(#0069cc, #007fd4))",
  "--color-ring-inverse": "var(--vscode-focusBorder, light-dark(#0069cc, #007fd4))",
  "--color-ring-info": "var(--vscode-inputValidation-infoBorder, light-dark(#0069cc, #007acc))",
  "--color-ring-danger": "var(--vscode-inputValidation-errorBorder, light-dark(#ad0707, #be1100))",
  "--color-ring-success": "var(--vscode-testing-iconPassed, light-dark(#73c991, #73c991))",
  "--color-ring-warning": "var(--vscode-inputValidation-warningBorder, light-dark(#b69500, #b89500))",
  "--font-sans": "var(--vscode-font-family, -apple-system, BlinkMacSystemFont, sans-serif)",
  "--font-mono": "var(--vscode-editor-font-family, Menlo, Monaco, 'Courier New', monospace)",
  "--font-weight-normal": "normal",
  "--font-weight-medium": "500",
  "--font-weight-semibold": "600",
  "--font-weight-bold": "bold",
  "--font-text-xs-size": "10px",
  "--font-text-sm-size": "11px",
  "--font-text-md-size": "13px",
  "--font-text-lg-size": "14px",
  "--font-heading-xs-size": "16px",
  "--font-heading-sm-size": "18px",
  "--font-heading-md-size": "20px",
  "--font-heading-lg-size": "24px",
  "--font-heading-xl-size": "32px",
  "--font-heading-2xl-size": "40px",
  "--font-heading-3xl-size": "48px",
  "--font-text-xs-line-height": "1.5",
  "--font-text-sm-line-height": "1.5",
  "--font-text-md-line-height": "1.5",
  "--font-text-lg-line-height": "1.5",
  "--font-heading-xs-line-height": "1.25",
  "--font-heading-sm-line-height": "1.25",
  "--font-heading-md-line-height": "1.25",
  "--font-heading-lg-line-height": "1.25",
  "--font-heading-xl-line-height": "1.25",
  "--font-heading-2xl-line-height": "1.25",
  "--font-heading-3xl-line-height": "1.25",
  "--border-radius-xs": "2px",
  "--border-radius-sm": "3px",
  "--border-radius-md": "4px",
  "--border-radius-lg": "6px",
  "--border-radius-xl": "8px",
  "--border-radius-full": "9999px",
  "--border-width-regular": "1px",
  "--shadow-hairline":
    "0 0 0 1px var(--vscode-widget-shadow, light-dark(rgba(0, 0, 0, 0), rgba(0, 0, 0, 0.36)))",
  "--shadow-sm": "0 1px 2px 0 var(--vscode-widget-shadow, light-dark(rgba(0, 0, 0, 0), rgba(0, 0, 0, 0.36)))",
  "--shadow-md":
    "0 4px 6px -1px var(--vscode-widget-shadow, light-dark(rgba(0, 0, 0, 0), rgba(0, 0, 0, 0.36)))",
  "--shadow-lg":
    "0 10px 15px -3px var(--vscode-widget-shadow, light-dark(rgba(0, 0, 0, 0), rgba(0, 0, 0, 0.36)))",
};
