/**
 * Changes values in the text of a settings file. Comments, order, indentation and line ends stay, because the
 * file belongs to the user.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import { afterSpace, type JsonMember, type JsonNode, parseJsonNodes, pathOf } from "./json.js";
import { isObject } from "./reader.js";

/** Keys and indexes from the outside in: `["mcpServers", "weather", "args", 0]`. */
export type SettingsPath = readonly (string | number)[];

/** A change of one value. */
export interface SettingsChange {
  readonly path: SettingsPath;
  /**
   * The new value. Where the file has an object and this is one too, only the keys that differ are written.
   * Undefined removes the setting.
   */
  readonly value: unknown;
}

/** A path leads through a value that has no members. */
export class SettingsPathError extends Error {
  constructor(path: string, why: string) {
    super(`${path}: ${why}`);
    this.name = "SettingsPathError";
  }
}

/**
 * Changes the text of a settings file, one change after another. Missing parents are added. A removed member
 * takes its comma with it, and a comment behind it on the same line; comments above it stay.
 *
 * @throws {JsonError} if the text is not valid
 * @throws {SettingsPathError} if a path leads through a value without members
 * @example
 * ```ts source="./config.examples.ts#editSettings"
 * const text = editSettings('{\n  // my servers\n  "mcpServers": {}\n}\n', [
 *   { path: ["mcpServers", "lab"], value: { url: "http://127.0.0.1:3000/mcp" } },
 * ]);
 * ```
 */
export function editSettings(text: string, changes: readonly SettingsChange[]): string {
  let edited = text.trim() === "" ? "{}\n" : text;
  for (const change of changes) {
    const root = parseJsonNodes(edited);
    for (const step of stepsOf(root, change)) edited = applied(edited, step);
  }
  // A wrong edit must never reach the file.
  parseJsonNodes(edited);
  return edited;
}

/** Divides the change of an object into changes of its keys, so that comments between them stay. */
function stepsOf(root: JsonNode, { path, value }: SettingsChange): SettingsChange[] {
  const before = nodeAt(root, path)?.value;
  if (!isObject(before) || !isObject(value)) return [{ path, value }];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(value)])];
  return keys.flatMap((key) =>
    stepsOf(root, { path: [...path, key], value: Object.hasOwn(value, key) ? value[key] : undefined }),
  );
}

const memberOf = (node: JsonNode | undefined, key: string | number): JsonMember | undefined =>
  node?.members?.find((member) => member.key === key);

const nodeAt = (root: JsonNode, path: SettingsPath): JsonNode | undefined =>
  path.reduce<JsonNode | undefined>((node, key) => memberOf(node, key)?.node, root);

function applied(text: string, { path, value }: SettingsChange): string {
  const root = parseJsonNodes(text);
  let parent = root;
  for (const [index, key] of path.entries()) {
    if (!parent.members || isList(parent) !== (typeof key === "number"))
      throw new SettingsPathError(nameOf(path.slice(0, index)), "has no such member; change it by hand");
    const found = memberOf(parent, key);
    const isLast = index === path.length - 1;
    if (!found) return value === undefined ? text : inserted(text, parent, key, path.slice(index + 1), value);
    if (isLast) return value === undefined ? removed(text, parent, found) : replaced(text, found.node, value);
    parent = found.node;
  }
  throw new SettingsPathError("", "name a setting to change");
}

const isList = (node: JsonNode): boolean => Array.isArray(node.value);
const nameOf = (path: SettingsPath): string => path.reduce<string>(pathOf, "");

/** The format of a text. */
interface Style {
  readonly unit: string;
  readonly end: string;
}

function styleOf(text: string): Style {
  const [, unit = "  "] = /\n([ \t]+)["[{]/.exec(text) ?? [];
  return { unit: unit.startsWith("\t") ? "\t" : unit, end: text.includes("\r\n") ? "\r\n" : "\n" };
}

/** Whitespace at the beginning of the line of a position. */
function indentAt(text: string, position: number): string {
  const line = text.lastIndexOf("\n", position - 1) + 1;
  return /^[ \t]*/.exec(text.slice(line, position))?.[0] ?? "";
}

const isOneLine = (text: string, { start, end }: JsonNode): boolean => !text.slice(start, end).includes("\n");

/** A value as text: on one line, or indented like the text around it. */
function written(value: unknown, indent: string, { unit, end }: Style, isInline: boolean): string {
  if (!isInline) return JSON.stringify(value, null, unit).replaceAll("\n", end + indent);
  return JSON.stringify(value, null, 1).replace(/\n */g, " ");
}

function replaced(text: string, node: JsonNode, value: unknown): string {
  if (isDeepStrictEqual(node.value, value)) return text;
  const isShortList = isList(node) && isOneLine(text, node);
  const inside = written(value, indentAt(text, node.start), styleOf(text), isShortList);
  return text.slice(0, node.start) + inside + text.slice(node.end);
}

function inserted(
  text: string,
  parent: JsonNode,
  key: string | number,
  rest: SettingsPath,
  value: unknown,
): string {
  const nested = rest.reduceRight<unknown>((inner, each) => {
    if (typeof each === "number") throw new SettingsPathError(`[${each}]`, "has no list to be in");
    return { [each]: inner };
  }, value);
  const style = styleOf(text);
  const close = parent.end - 1;
  const last = parent.members?.at(-1);
  const isInline = last !== undefined && isOneLine(text, parent);
  const outer = indentAt(text, parent.start);
  const indent = last ? indentAt(text, parent.members?.[0]?.start ?? last.start) : outer + style.unit;
  const name = typeof key === "number" ? "" : `${JSON.stringify(key)}: `;
  const member = name + written(nested, indent, style, isInline);
  // Behind everything before the bracket, so that comments stay where they are.
  const from = last?.node.end ?? parent.start + 1;
  const tail = text.slice(from, close).trimEnd();
  const hasComma = last !== undefined && text[afterSpace(text, last.node.end)] === ",";
  const comma = last && !hasComma ? "," : "";
  const gap = isInline ? " " : style.end + indent;
  const behind = text.slice(from + tail.length, close);
  const ending = isInline || behind.includes("\n") ? behind : style.end + outer;
  const lastComma = hasComma ? "," : "";
  return text.slice(0, from) + comma + tail + gap + member + lastComma + ending + text.slice(close);
}

function removed(text: string, parent: JsonNode, member: JsonMember): string {
  const members = parent.members ?? [];
  const next = afterSpace(text, member.node.end);
  const hasComma = text[next] === ",";
  const end = hasComma ? next + 1 : member.node.end;
  const line = text.lastIndexOf("\n", member.start - 1) + 1;
  const isFirstInLine = text.slice(line, member.start).trim() === "";
  const [behind = ""] =
    /^[ \t]*(?:\/\*[^\n]*?\*\/[ \t]*)*(?:\/\/[^\n]*?)?(?=\r?\n|$)/.exec(text.slice(end)) ?? [];
  const isLastInLine = /^\r?\n/.test(text.slice(end + behind.length));
  let [from, to] = [member.start, end];
  if (isFirstInLine && isLastInLine) {
    // The whole lines.
    [from, to] = [line, text.indexOf("\n", end + behind.length) + 1];
  } else if (hasComma) to += /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
  else from -= /[ \t]*$/.exec(text.slice(0, member.start))?.[0].length ?? 0;
  const before = members[members.indexOf(member) - 1];
  const comma = before && !hasComma ? afterSpace(text, before.node.end) : undefined;
  // Strict parsers allow no comma before the bracket.
  const kept = comma === undefined ? text.slice(0, from) : text.slice(0, comma) + text.slice(comma + 1, from);
  const result = kept + text.slice(to);
  if (members.length > 1) return result;
  const [open, close] = [parent.start + 1, parent.end - 1 - (text.length - result.length)];
  return result.slice(open, close).trim() === "" ? result.slice(0, open) + result.slice(close) : result;
}
