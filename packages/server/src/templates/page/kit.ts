/**
 * What the pages of all templates share: the handshake, the states in which there is nothing to show yet or any more, and the
 * locale. What only some of them need are functions of their own beside this, so that the others do not carry it.
 *
 * @module
 */
import { Channel } from "@vitrine/protocol";
import { View } from "@vitrine/view";
import { element, put, set } from "./dom.js";

type Json = Record<string, unknown>;
type Result = Awaited<ReturnType<View["callServerTool"]>>;

/** What a call came to. */
export interface Answer {
  readonly ok: boolean;
  readonly data: unknown;
  /** What the tool said, or why there is nothing. */
  readonly text: string;
  /** What is wrong with single arguments, by their names, where the tool says so. */
  readonly problems: Readonly<Record<string, string>>;
}

/** What a template does with what it is told. */
export interface Page {
  /** Shows the data of a result. */
  data(data: unknown, text: string): void;
  /** Hears the tool's arguments: while the model still writes them, and when it has. */
  input?(input: Json, isWhole?: boolean): void;
  /** The data that is in the tool's arguments, where they are of its shape: shown until the result is there, and not to be used. */
  written?(input: Json): unknown;
  /** The tool's call failed; that it did is said already. */
  failed?(answer: Answer): void;
  /** The language or the time zone is another now; without this, the data is shown again. */
  redraw?(): void;
  /** There is something to show before there is any result. */
  readonly isReady?: boolean;
}

/** What the pages stand on. */
export class Kit<Config> {
  readonly config: Config & { readonly title?: string };
  /** What the view talks through: for a page with something to do before it is removed. */
  readonly channel = new Channel<"view">();
  readonly view: View;
  /** Where the template shows things. */
  readonly place = element("div", { class: "place" });
  /** Beside the heading: buttons, a search field. */
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

  /** One sentence about how it is; nothing when what is there speaks for itself. */
  say(text = "", isBusy = false): void {
    // Only what is new: it is read out.
    if (this.#status.textContent !== text) put(this.#status, text);
    set(this.#status, "hidden", text === "");
    set(this.#status, "class", isBusy ? "status busy" : "status");
    set(this.place, "aria-busy", isBusy && "true");
  }

  /** What went wrong, until it is said that nothing is any more. */
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
  /** Made when the host's words are known: texts depend on them. */
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
  /** The call is over: what the model wrote was not to be used, and without a result it is nothing at all. */
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

/** Takes over the language and its direction. */
function speakAs(kit: Kit<unknown>): void {
  const { locale } = kit.view.getHostContext() ?? {};
  try {
    const language = new Intl.Locale(locale ?? navigator.language);
    kit.locale = language.toString();
    const isRightToLeft = /^(ar|arc|ckb|dv|fa|he|ps|sd|ug|ur|yi)$/.test(language.language);
    document.documentElement.dir = isRightToLeft ? "rtl" : "ltr";
  } catch {
    // What the host said is no language.
  }
}

/** A result's data: its own, or JSON in its first text, or its texts. A number by itself is what somebody said. */
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
      // Words.
    }
  }
  const problems = Object((_meta as Json | undefined)?.["vitrine/problems"]) as Record<string, string>;
  return { ok: !isError, data, text: text || (isError ? "The tool failed." : ""), problems };
}

/** A list of records, from whatever has one: a list, `{ items }` (or another single list), or one record. */
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
