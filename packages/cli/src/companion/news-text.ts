/**
 * Actions of the user and the apps as text for an agent. Text of apps is quoted with its author: it is data,
 * not an instruction of the user.
 *
 * @module
 */
import type { ContentBlock } from "@vitrine/protocol";
import { sizeOf } from "../content.js";
import type { CompanionApp, MessageAuthor, News, ServerProblem, Showing } from "./companion-host.js";
import type { Unheard } from "./inbox.js";

/** Maximum characters of one app's text, of all together, and of one among many. */
const MOST_OF_ONE = 20_000;
const MOST_OF_ALL = 60_000;
const LEAST = 300;

/**
 * The news as one text; undefined if there are none. If it is too long, texts of apps are shortened, but
 * never the user's.
 */
export function newsText(
  { news, isIncomplete }: Unheard,
  heading = "While you were away:",
): string | undefined {
  if (news.length === 0 && !isIncomplete) return undefined;
  const lines = news.map((each) => ({ text: `- ${lineOf(each)}`, isByPerson: isByPerson(each) }));
  const lengthOf = (some: typeof lines): number => some.reduce((sum, { text }) => sum + text.length, 0);
  const others = lines.filter((line) => !line.isByPerson);
  const room = Math.max(0, MOST_OF_ALL - lengthOf(lines.filter((line) => line.isByPerson)));
  const share = lengthOf(others) > room ? Math.max(LEAST, Math.floor(room / others.length)) : MOST_OF_ALL;
  return [
    heading,
    ...(isIncomplete ? ["- Older events were not kept."] : []),
    ...lines.map((line) => (line.isByPerson ? line.text : cut(line.text, share))),
  ].join("\n");
}

const isByPerson = (news: News): boolean => news.kind === "message" && news.from === undefined;

/** All apps with their state. */
export function appsText(apps: readonly CompanionApp[], namesOf: (app: CompanionApp) => string[]): string {
  if (apps.length === 0) return "No app is open. Tools that have one open it in the user's browser.";
  const open = apps.filter(({ isOpen }) => isOpen);
  const closed = apps.filter(({ isOpen }) => !isOpen);
  const parts = open.map((app) => appText(app, namesOf(app)));
  if (closed.length > 0) parts.push(`Not open in a browser: ${closed.map((app) => nameOf(app)).join(", ")}.`);
  return parts.join("\n\n");
}

/** An app with its tools and its context. */
export function appText(app: CompanionApp, names: readonly string[]): string {
  const { context } = app;
  const said = context && wordsOf(context);
  return [
    `${capital(nameOf(app))} is ${app.isOpen ? "open" : "not open in a browser"}.`,
    ...(names.length > 0 ? [`Its tools: ${names.join(", ")}.`] : []),
    ...(said ? [`${context.isStale ? "Before it was closed it said" : "It says"}:`, quote(said)] : []),
  ].join("\n");
}

/** A line about servers that do not work. */
export const problemsText = (problems: readonly ServerProblem[]): string | undefined =>
  problems.length === 0
    ? undefined
    : `Servers that do not work now, so that their tools fail or are missing:\n${problems
        .map(({ server, message }) => `- ${server}: ${oneLine(message)}`)
        .join("\n")}`;

/** Notices about names that now mean another server, which the user may not have seen. */
export const noticesText = (notices: readonly string[]): string | undefined =>
  notices.length === 0
    ? undefined
    : `Tell the user:\n${notices.map((notice) => `- ${oneLine(notice)}`).join("\n")}`;

/** A line for a result whose app is shown to the user. */
export function shownText(app: CompanionApp, showing: Showing): string {
  const what = capital(nameOf(app));
  const then = "The user's actions in it come with later results; app_context returns them at once.";
  switch (showing.state) {
    case "open":
      return `${what} is open in the user's browser, at ${showing.address}. ${then}`;
    case "opening":
      return `${what} opens in the user's browser, at ${showing.address}. ${then}`;
    case "link":
      return `${what} is ready, and no browser shows it yet: ask the user to open ${showing.url} (the link works once). ${then}`;
  }
}

/** Display name of an app for an agent. */
export const nameOf = (app: NonNullable<MessageAuthor>): string =>
  `app ${app.number} (${quoted(app.title)} of the server ${quoted(app.server)})`;

function lineOf(news: News): string {
  if (news.kind === "closed") return `${capital(nameOf(news.from))} was closed: its tools are gone.`;
  if (news.kind === "message") {
    const who = news.from ? `${capital(nameOf(news.from))} wrote on the user's behalf` : "The user wrote";
    const most = isByPerson(news) ? Number.POSITIVE_INFINITY : MOST_OF_ONE;
    return `${who}:\n${quote(wordsOf({ content: news.content }, most))}`;
  }
  return `${capital(nameOf(news.from))} changed its context:\n${quote(wordsOf(news) || "(now empty)")}`;
}

/** Content as text. */
function wordsOf(
  {
    content = [],
    structuredContent,
  }: {
    content?: readonly ContentBlock[] | undefined;
    structuredContent?: Record<string, unknown> | undefined;
  },
  most = MOST_OF_ONE,
): string {
  const parts = content.map(blockText).filter((text) => text !== "");
  if (structuredContent !== undefined) parts.push(JSON.stringify(structuredContent));
  return cut(parts.join("\n"), most);
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `(${block.type}, ${block.mimeType}, ${sizeOf((block.data.length * 3) / 4)})`;
    case "resource_link":
      return `(resource ${block.uri})`;
    case "resource":
      return "text" in block.resource ? block.resource.text : `(resource ${block.resource.uri})`;
    default:
      return "(content of an unknown type)";
  }
}

/** Third-party text: each line is marked, so that it cannot pass for ours. */
const quote = (text: string): string => text.replace(/^/gm, "  > ");

const quoted = (text: string): string => JSON.stringify(oneLine(text));
const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, 200);
const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}\n[${text.length - most} more characters were left out]`;
}
