/**
 * Shared by the pages of all templates: the handshake, loading and error states, and the locale. Features of
 * only some pages are separate modules, so that the others stay small.
 *
 * @module
 */
import { Channel, recordOf } from "@vitrine/protocol";
import { View } from "@vitrine/view";
import { element, put, set } from "./dom.js";

type Json = Record<string, unknown>;
type Result = Awaited<ReturnType<View["callServerTool"]>>;

/** The result of a call. */
export interface Answer {
  readonly ok: boolean;
  readonly data: unknown;
  /** The tool's text, or the error message. */
  readonly text: string;
  /** Problems with single arguments by name, if the tool reports them. */
  readonly problems: Readonly<Record<string, unknown>>;
}

/** The part of a page that differs by template. */
export interface Page {
  /** Shows the data of a result. */
  data(data: unknown, text: string): void;
  /** Receives the tool's arguments, while the model writes them and when they are complete. */
  input?(input: Json, isWhole?: boolean): void;
  /**
   * Returns the data in the tool's arguments, if they have its shape. It is shown read-only until the result
   * arrives.
   */
  written?(input: Json): unknown;
  /** The tool call failed; the error is already shown. */
  failed?(answer: Answer): void;
  /** The language or the time zone changed. By default, the data is shown again. */
  redraw?(): void;
  /** Whether there is something to show before the first result. */
  readonly isReady?: boolean;
}

/** Base of all pages. */
export class Kit<Config> {
  readonly config: Config & { readonly title?: string };
  /** The view's channel, for pages that need a teardown handler. */
  readonly channel = new Channel<"view">();
  readonly view: View;
  /** The element that the template fills. */
  readonly place = element("div", { class: "place" });
  /** The element beside the heading, for buttons or a search field. */
  readonly tools = element("div", { class: "tools" });
  readonly #status = element("p", { class: "status", role: "status" });
  readonly #problem = element("p", { class: "problem", role: "alert", hidden: true });
  locale = "en";

  constructor(name: string, title: string) {
    const given = JSON.parse(document.getElementById("config")?.textContent ?? "{}");
    this.config = given;
    this.view = new View({ name: `vitrine-${name}`, version: "1.0.0" }, {}, this.channel);
    const heading = element("h1", {}, given.title ?? title);
    const head = element("header", {}, heading, this.tools);
    document.body.append(element("main", {}, head, this.#status, this.#problem, this.place));
    this.say("Waiting for data …", true);
  }

  /** Shows a status message; hides it if empty. */
  say(text = "", isBusy = false): void {
    // Only changes, because screen readers announce it.
    if (this.#status.textContent !== text) put(this.#status, text);
    set(this.#status, "hidden", text === "");
    set(this.#status, "class", isBusy ? "status busy" : "status");
    set(this.place, "aria-busy", isBusy && "true");
  }

  /** Shows an error, or clears it. */
  complain(text = ""): void {
    put(this.#problem, text);
    set(this.#problem, "hidden", text === "");
  }
}

/** Starts a template's page. */
export function startPage<Config>(name: string, title: string, make: (kit: Kit<Config>) => Page): void {
  const kit = new Kit<Config>(name, title);
  const { view } = kit;
  let page: Page | undefined;
  let shown: Answer | undefined;
  /** Created after the handshake, because texts depend on the host's language. */
  const made = (): Page => {
    if (!page) {
      speakAs(kit);
      page = make(kit);
      if (page.isReady) kit.say();
    }
    return page;
  };
  const hear = (input: Json, words: string, isWhole?: boolean): void => {
    const { isReady } = made();
    made().input?.(input, isWhole);
    const data = made().written?.(input);
    if (data) {
      shown = { ok: true, data, text: "", problems: {} };
      kit.place.inert = true;
      made().data(data, "");
    }
    if (!isReady) kit.say(words, true);
  };
  /** Ends the call. Data from the arguments was read-only, and is removed if there is no result. */
  const end = (isGood?: boolean): void => {
    if (isGood) kit.place.inert = false;
    kit.place.hidden = kit.tools.hidden = kit.place.inert;
  };
  view.on("toolinputpartial", ({ arguments: input = {} }) => hear(input as Json, "Waiting for data …"));
  view.on("toolinput", ({ arguments: input = {} }) => hear(input as Json, "Working …", true));
  view.on("toolresult", (result) => {
    const answer = answerOf(result as Result);
    const { ok, text } = answer;
    end(ok);
    // A tool may have nothing to add to its arguments.
    shown = ok && shown && typeof answer.data !== "object" ? shown : answer;
    kit.say();
    kit.complain(ok ? "" : text);
    if (ok) made().data(shown.data, text);
    else made().failed?.(answer);
  });
  view.on("toolcancelled", ({ reason }) => {
    end();
    kit.say(`Cancelled${reason ? `: ${reason}` : "."}`);
  });
  view.on("hostcontextchanged", ({ locale, timeZone }) => {
    speakAs(kit);
    if (!page || (locale ?? timeZone) === undefined) return;
    if (page.redraw) page.redraw();
    else if (shown?.ok) page.data(shown.data, shown.text);
  });
  view.connect().then(made, (error: Error) => {
    kit.say();
    kit.complain(error.message);
  });
}

/** Applies the host's language and its text direction. */
function speakAs(kit: Kit<unknown>): void {
  const { locale } = kit.view.getHostContext() ?? {};
  try {
    const language = new Intl.Locale(locale ?? navigator.language);
    kit.locale = language.toString();
    const isRightToLeft = /^(ar|arc|ckb|dv|fa|he|ps|sd|ug|ur|yi)$/.test(language.language);
    document.documentElement.dir = isRightToLeft ? "rtl" : "ltr";
  } catch {
    // The host's locale is invalid.
  }
}

/**
 * A result's data: its `structuredContent`, JSON in its first text, or its texts. A bare number counts as
 * text.
 */
export function answerOf({ content, structuredContent, isError, _meta }: Result): Answer {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const text = texts.join("\n");
  let data: unknown = structuredContent;
  if (data === undefined) {
    data = text || undefined;
    try {
      const read: unknown = JSON.parse(texts[0] ?? "");
      if (/object|string/.test(typeof read)) data = read;
    } catch {
      // Not JSON.
    }
  }
  const problems = recordOf(_meta?.["vitrine/problems"]);
  return { ok: !isError, data, text: text || (isError ? "The tool failed." : ""), problems };
}

/** A list of records from data: a list, `{ items }` (or another single list), or one record. */
export function listOf(data: unknown, name = "items"): Json[] {
  const list = Array.isArray(data)
    ? data
    : Array.isArray(Object(data)[name])
      ? Object(data)[name]
      : onlyList(data);
  return (list ?? (data && typeof data === "object" ? [data] : [])).filter(
    (each: unknown) => typeof each === "object" && each !== null,
  );
}

function onlyList(data: unknown): unknown[] | undefined {
  const values = Object.values(Object(typeof data === "object" ? data : {}));
  return values.length === 1 && Array.isArray(values[0]) ? values[0] : undefined;
}
