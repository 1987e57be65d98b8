/**
 * Answers that went well.
 *
 * @module
 */
import { JsonText } from "@vitrine/protocol";
import { HTML_HEADERS, JSON_HEADERS } from "./headers.js";

/** JSON; what is JSON already is not written again. */
export const json = (value: object, status = 200): Response =>
  new Response(value instanceof JsonText ? value.text : JSON.stringify(value), {
    status,
    headers: JSON_HEADERS,
  });

/** A page with one sentence, for a person. */
export const page = (sentence: string, headers: Record<string, string> = {}): Response =>
  new Response(
    `<!doctype html><meta charset="utf-8"><title>Vitrine</title><p>${escapeHtml(sentence)}</p>\n`,
    { headers: { ...HTML_HEADERS, ...headers } },
  );

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
