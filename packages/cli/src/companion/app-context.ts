/**
 * The companion's own tool: how the apps are, and what happened since the agent asked last.
 *
 * @module
 */
import type { CallToolResult, ImageContent, Tool } from "@vitrine/protocol";
import type { Companion } from "./companion.js";
import type { FollowOptions } from "./companion-host.js";
import type { Reader } from "./inbox.js";
import { appToolName } from "./names.js";
import { appsText, newsText, noticesText, problemsText } from "./news-text.js";

/** Its name: no tool of a server or an app has one like it. */
export const APP_CONTEXT = "app_context";

/** Seconds that can be waited for. */
const LONGEST = 600;
/** Milliseconds between two signs of life while it waits: clients give up on who says nothing. */
const SIGN_OF_LIFE = 10_000;
/** Pictures of apps that are handed on at once. */
const MOST_PICTURES = 4;

/** How it is listed. */
export const APP_CONTEXT_TOOL: Tool = {
  name: APP_CONTEXT,
  title: "What happens in the apps",
  description:
    "Tells which apps are open in the person's browser, what each wants you to know, which tools it offers, and what the person and the apps said since you asked last. With `wait` it answers as soon as there is something new, or after so many seconds; many clients give up after 60.",
  inputSchema: {
    type: "object",
    properties: {
      wait: {
        type: "number",
        minimum: 0,
        maximum: LONGEST,
        description: "Seconds to wait for something new; 0 by default",
      },
    },
  },
  annotations: { title: "What happens in the apps", readOnlyHint: true, openWorldHint: false },
};

/** Answers it. */
export async function answerAppContext(
  { host }: Companion,
  reader: Reader,
  { wait = 0 }: Record<string, unknown>,
  { signal, onprogress }: FollowOptions,
): Promise<CallToolResult> {
  if (typeof wait !== "number" || !(wait >= 0 && wait <= LONGEST))
    return failed(`wait is a number of seconds from 0 to ${LONGEST}`);
  // A page that was just closed, or is loaded again: the answer says which.
  await host.settled();
  const begun = Date.now();
  const signs = setInterval(
    () => onprogress({ progress: (Date.now() - begun) / 1000, total: wait, message: "nothing new yet" }),
    SIGN_OF_LIFE,
  );
  await reader.wait(wait * 1000, signal).finally(() => clearInterval(signs));
  // Nobody hears the answer: what is new is kept for the next time.
  if (signal.aborted) return failed("it was cancelled");
  const news = newsText(reader.take(), "Since you asked last:") ?? "Nothing new since you asked last.";
  const apps = appsText(host.apps, ({ number, tools }) => tools.map(({ name }) => appToolName(number, name)));
  const texts = [apps, news, problemsText(host.problems), noticesText(host.notices)].filter(
    (text) => text !== undefined,
  );
  const pictures = host.apps
    .flatMap(({ isOpen, context }) => (isOpen ? (context?.content ?? []) : []))
    .filter((block): block is ImageContent => block.type === "image")
    .slice(0, MOST_PICTURES);
  return { content: [...texts.map((text) => ({ type: "text" as const, text })), ...pictures] };
}

const failed = (text: string): CallToolResult => ({ content: [{ type: "text", text }], isError: true });
