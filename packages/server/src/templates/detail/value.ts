/**
 * Displays values: records as sections, lists as lists, others by their type.
 *
 * @module
 */

import { isRecord } from "@vitrine/protocol";
import { element } from "../page/dom.js";
import type { Kit } from "../page/kit.js";
import { writeDate, writeNumber } from "../page/write.js";
import type { Json } from "./record.js";
import type { DetailConfig, DetailField, DetailFieldType } from "./template.js";

type DetailKit = Kit<DetailConfig>;

/** Maximum nesting; deeper values are shown as JSON. */
const DEEPEST = 4;

/** The fields of a record: short ones first in one list, then nested records and lists of records. */
export function card(
  kit: DetailKit,
  record: Json,
  fields?: readonly DetailField[],
  depth = 0,
): HTMLElement[] {
  const all = fields ?? Object.keys(record).map((key): DetailField => ({ key }));
  const isLong = ({ key }: DetailField): boolean => {
    const value = record[key];
    return depth < DEEPEST && (isRecord(value) || (Array.isArray(value) && value.some(isRecord)));
  };
  const list = element("dl");
  for (const each of all.filter((field) => !isLong(field))) {
    const { key, label = key, type } = each;
    list.append(
      element("div", {}, element("dt", {}, label), element("dd", {}, written(kit, record[key], type))),
    );
  }
  const sections = all.filter(isLong).map(({ key, label = key }) => {
    const value = record[key];
    const body = isRecord(value)
      ? card(kit, value, undefined, depth + 1)
      : [cards(kit, value as unknown[], depth)];
    const heading = element("div", { role: "heading", "aria-level": depth + 2, class: "heading" }, label);
    return element("section", {}, heading, ...body);
  });
  return list.hasChildNodes() ? [list, ...sections] : sections;
}

function cards(kit: DetailKit, values: readonly unknown[], depth: number): HTMLElement {
  const items = values.map((each) =>
    element("li", {}, ...(isRecord(each) ? card(kit, each, undefined, depth + 1) : [written(kit, each)])),
  );
  return element("ul", { class: "cards" }, ...items);
}

function written(kit: DetailKit, value: unknown, type = typeOf(value)): Node | string {
  if (value === null || value === undefined || value === "") return "—";
  if (Array.isArray(value)) {
    if (value.length === 0) return "—";
    const isBadge = type === "badge";
    const items = value.map((each) => element("li", {}, written(kit, each, isBadge ? type : undefined)));
    return element("ul", { class: isBadge && "row" }, ...items);
  }
  if (typeof value === "object") return element("code", {}, JSON.stringify(value));
  const text = String(value);
  if (type === "number" && Number.isFinite(Number(text))) return writeNumber(kit, Number(text));
  if (type === "date")
    return writeDate(kit, value, text.length > 10 ? { dateStyle: "medium", timeStyle: "short" } : undefined);
  if (type === "boolean") return text === "true" ? "Yes" : text === "false" ? "No" : text;
  if (type === "badge") return element("span", { class: "badge" }, text);
  return type === "link" && /^https?:\/\//i.test(text) ? link(kit, text) : text;
}

function typeOf(value: unknown): DetailFieldType {
  const text = String(value);
  if (typeof value === "number" || typeof value === "boolean") return typeof value as "number" | "boolean";
  if (/^\d{4}-\d\d-\d\d(T\d\d:\d\d\S*)?$/.test(text)) return "date";
  return /^https?:\/\/\S+$/i.test(text) ? "link" : "text";
}

/** The host opens links, because the frame may not. */
function link(kit: DetailKit, url: string): HTMLElement {
  const onclick = (event: Event): void => {
    event.preventDefault();
    kit.view.sendRequest("ui/open-link", { url }).catch(({ message }) => kit.complain(message));
  };
  return element("a", { href: url, onclick }, url);
}
