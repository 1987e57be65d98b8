/**
 * A conversation as one HTML file whose apps replay. The file needs no network, and its policy allows none.
 *
 * @module
 */
import { type ContentBlock, recordOf } from "@vitrine/protocol";
import { type ConversationItem, type ConversationState, shownItems } from "@vitrine/wire";
import type { MarkdownParser } from "../markdown/markdown-nodes.js";
import { visibleText } from "../markdown/visible-text.js";
import { runOf } from "../recording/recorded-run.js";
import type { Recording } from "../recording/recording.js";
import { blocksHtml, escaped } from "./markdown-html.js";
import { type ExportedApp, runReplays } from "./replay-script.js";

/**
 * Everything from outside is refused, also WebRTC in browsers that know the directive; frames are documents inside this
 * file, and inherit the policy.
 */
const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; media-src data: blob:; font-src data:; form-action 'none'; base-uri 'none'; webrtc 'block'";

const STYLE = `body{max-width:860px;margin:2rem auto;padding:0 1rem;font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
article{margin:1rem 0;padding:.5rem 1rem;border:1px solid #8884;border-radius:8px}.own{border-left:3px solid #1a5fd0}
h2,h3,h4{font-size:1em}pre{white-space:pre-wrap}table{border-collapse:collapse}td,th{padding:2px 8px;border:1px solid #8886}
iframe{width:100%;height:300px;border:0}img{max-width:100%}:root{color-scheme:light dark}.soft{opacity:.7}`;

/** Options of {@link conversationHtml}. */
export interface ConversationHtmlOptions {
  readonly conversation: Pick<ConversationState, "title" | "items">;
  /** Recordings of apps, by the entry of their call. */
  readonly recordings: ReadonlyMap<string, Recording>;
  readonly parse: MarkdownParser;
}

/** The file. Calls whose app was not recorded show their result. */
export function conversationHtml({ conversation, recordings, parse }: ConversationHtmlOptions): string {
  const apps: ExportedApp[] = [];
  const markdown = (text: string): string => blocksHtml(parse(text, {}).map(({ block }) => block));
  const entries = shownItems(conversation.items).map((item) => {
    const recording = recordings.get(item.id);
    if (!recording) return entryHtml(item, markdown);
    apps.push(exportedApp(recording));
    return entryHtml(item, markdown, `<div id="app-${apps.length - 1}"></div>`);
  });
  const title = escaped(visibleText(conversation.title || "Conversation"));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
${entries.join("\n")}
<script type="application/json" id="apps">${scriptJson(apps)}</script>
<script>(${runReplays})()</script>
</body>
</html>
`;
}

/** JSON that cannot end its script element. */
const scriptJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** The parts of a recording that a replay needs. */
function exportedApp({ header, events }: Recording): ExportedApp {
  const run = runOf(events);
  return {
    html: header.document.html,
    answers: run.flatMap(({ d, kind, method, params, answer }) => {
      if (d !== "in" || kind !== "request" || !answer) return [];
      const { result, error } = recordOf(answer.m);
      return [{ method, params, answer: error === undefined ? { result } : { error } }];
    }),
    told: run.flatMap(({ d, kind, m }) => {
      if (d !== "out" || kind !== "notification") return [];
      const { method, params } = m;
      return [{ method, ...(params !== undefined && { params }) }];
    }),
  };
}

function entryHtml(
  item: Exclude<ConversationItem, { kind: "version" }>,
  markdown: (text: string) => string,
  app = "",
): string {
  const card = (title: string, inside: string, kind = ""): string =>
    `<article${kind}><h2>${escaped(visibleText(title))}</h2>\n${inside}\n</article>`;
  switch (item.kind) {
    case "user": {
      if (!item.from) return card("You", item.content.map(blockHtml).join("\n"), ' class="own"');
      const text = (block: ContentBlock) => (block.type === "text" ? markdown(block.text) : blockHtml(block));
      return card(`${item.from.title} (app of ${item.from.server})`, item.content.map(text).join("\n"));
    }
    case "model": {
      const problem = item.problem ? `<p class="soft">${escaped(item.problem.message)}</p>` : "";
      return item.text === "" && problem === "" ? "" : card(item.model, markdown(item.text) + problem);
    }
    case "call": {
      const { tool, server, input = {}, result, problem, state } = item;
      const asked =
        Object.keys(input).length > 0
          ? `<details><summary>Arguments</summary><pre>${escaped(JSON.stringify(input, null, 2))}</pre></details>`
          : "";
      const shown = result
        ? result.content.map(blockHtml).join("\n")
        : `<p class="soft">${escaped(problem ?? state)}</p>`;
      const answered = app === "" ? shown : `${app}<details><summary>Result</summary>${shown}</details>`;
      return card(`${tool} (${server})`, asked + answered);
    }
    case "note":
      return `<p class="soft">${escaped(visibleText(item.text))}</p>`;
  }
}

function blockHtml(block: ContentBlock): string {
  if (block.type === "text") return `<pre>${escaped(visibleText(block.text))}</pre>`;
  if (block.type === "image" && /^image\/(?:png|jpeg|gif|webp)$/.test(block.mimeType))
    return `<img alt="" src="data:${block.mimeType};base64,${escaped(block.data)}">`;
  if (block.type === "resource" && "text" in block.resource)
    return `<p class="soft">${escaped(block.resource.uri)}</p><pre>${escaped(visibleText(block.resource.text))}</pre>`;
  const name = block.type === "resource_link" ? block.uri : block.type;
  return `<p class="soft">(${escaped(name)})</p>`;
}
