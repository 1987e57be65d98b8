/**
 * Renders a template's document: its page, with the configuration as JSON.
 *
 * @module
 */

import { jsonSchemaProblem } from "@vitrine/protocol";
import { DefinitionError } from "../errors.js";
import { fingerprintOf } from "../fingerprint.js";
import type { ShownTool, Template } from "./template.js";

/** Maximum number of cached documents. */
const KEPT = 100;
const documents = new Map<string, string>();

/** Fingerprint of a template without its configuration: two templates may have the same name. */
const marks = new WeakMap<object, string>();
const counts = { hits: 0, misses: 0 };

/** Cache statistics. */
export const templateCounts = (): { hits: number; misses: number; kept: number } => ({
  ...counts,
  kept: documents.size,
});

/**
 * Returns the document of a template with this configuration. Documents are cached by configuration.
 *
 * @example
 * ```ts source="../server.examples.ts#renderTemplate"
 * const document = renderTemplate(dataTable, { title: "Cities", pageSize: 10 });
 *
 * ```
 *
 * @param tool the one whose view it is, for a template that uses it
 * @throws {DefinitionError} `config-invalid`
 */
export function renderTemplate<Config extends object>(
  template: Template<Config>,
  config: Config,
  tool?: ShownTool,
): string {
  const json = JSON.stringify(template.usesTool ? { ...config, tool } : config);
  const key = `${markOf(template)} ${json}`;
  const known = documents.get(key);
  if (known !== undefined) {
    counts.hits++;
    // Moves the entry to the end: least recently used ones are dropped first.
    documents.delete(key);
    documents.set(key, known);
    return known;
  }
  counts.misses++;
  const problem = jsonSchemaProblem(config, template.schema, "config");
  if (problem !== undefined) throw new DefinitionError("config-invalid", `${template.name}: ${problem}`);
  const document = write(template, config, json);
  documents.set(key, document);
  const [oldest] = documents.keys();
  if (documents.size > KEPT && oldest !== undefined) documents.delete(oldest);
  return document;
}

function markOf(template: Omit<Template, "text">): string {
  const known = marks.get(template);
  if (known !== undefined) return known;
  const { name, title, style, script, schema } = template;
  // A cached document is not validated again, so the schema is part of its key.
  const mark = fingerprintOf(JSON.stringify([name, title, style, script, schema]));
  marks.set(template, mark);
  return mark;
}

function write(
  { title, style, script }: Pick<Template, "title" | "style" | "script">,
  config: object,
  json: string,
): string {
  const { title: own = title } = config as { title?: string };
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(own)}</title>
<style>${style}</style>
<body>
<script type="application/json" id="config">${json.replaceAll("<", "\\u003c")}</script>
<script>${script}</script>
`;
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
