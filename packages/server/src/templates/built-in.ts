/**
 * Templates whose pages are made when this package is built.
 *
 * @module
 */
import { PAGES } from "./pages-text.js";
import type { Template } from "./template.js";

/** A template with the page of its name. */
export function builtIn<Config extends object>(
  template: Omit<Template<Config>, "script" | "style">,
): Template<Config> {
  const page = PAGES[template.name];
  if (!page) throw new Error(`the page of ${template.name} was not built`);
  return { ...template, ...page };
}
