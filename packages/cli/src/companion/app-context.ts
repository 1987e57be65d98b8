/**
 * The companion's own tool: the state of the apps, and the news since the agent last asked.
 *
 * @module
 */
import type { CallToolResult, ImageContent, Tool } from "@vitrine/protocol";
import type { Companion } from "./companion.js";
import type { FollowOptions } from "./companion-host.js";
import type { InboxReader } from "./inbox.js";
import { appToolName } from "./names.js";
import { appsText, newsText, noticesText, problemsText } from "./news-text.js";

/** Its name, which no tool of a server or an app can have. */
export const APP_CONTEXT = "app_context";

/** Maximum seconds to wait. */
const LONGEST = 600;
/** Milliseconds between progress notifications while it waits: clients time out without them. */
const SIGN_OF_LIFE = 10_000;
/** Maximum number of app images per answer. */
const MOST_PICTURES = 4;

/** Its entry in the tools list. */
export const APP_CONTEXT_TOOL: Tool = {
  name: APP_CONTEXT,
  title: "Events in the apps",
  description:
    "Returns which apps are open in the user's browser, the context and the tools of each, and what the user and the apps wrote since your last call. With `wait`, it answers as soon as there is something new, or after that many seconds; many clients time out after 60.",
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
  annotations: { title: "Events in the apps", readOnlyHint: true, openWorldHint: false },
};

/** Handles a call of the tool. */
export async function answerAppContext(
  { host }: Companion,
  reader: InboxReader,
  { wait = 0 }: Record<string, unknown>,
  { signal, onprogress }: FollowOptions,
): Promise<CallToolResult> {
  if (typeof wait !== "number" || !(wait >= 0 && wait <= LONGEST))
    return failed(`wait is a number of seconds from 0 to ${LONGEST}`);
  // A page may have just closed or be reloading: wait until that is known.
  await host.settled();
  const begun = Date.now();
  const signs = setInterval(
    () => onprogress({ progress: (Date.now() - begun) / 1000, total: wait, message: "nothing new yet" }),
    SIGN_OF_LIFE,
  );
  await reader.wait(wait * 1000, signal).finally(() => clearInterval(signs));
  // The caller is gone, so the news are kept for the next call.
  if (signal.aborted) return failed("it was cancelled");
  const news = newsText(reader.take(), "Since your last call:") ?? "Nothing new since your last call.";
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
