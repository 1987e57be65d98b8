/**
 * Templates whose pages are built with this package.
 *
 * @module
 */
import { PAGES } from "./pages-text.js";
import type { Template } from "./template.js";

/** Adds the built page to a template. */
export function builtIn<Config extends object>(
  template: Omit<Template<Config>, "script" | "style">,
): Template<Config> {
  const page = PAGES[template.name];
  if (!page) throw new Error(`the page of ${template.name} was not built`);
  return { ...template, ...page };
}
