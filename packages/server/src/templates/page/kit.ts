/**
 * What the pages of all templates share: the handshake, the states in which there is nothing to show yet or any more, calls of
 * tools with what can go wrong with them, and the locale.
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
  input?(input: Json, isWhole: boolean): void;
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
    put(this.#status, text);
    set(this.#status, "hidden", text === "");
    set(this.#status, "class", isBusy ? "status busy" : "status");
    set(this.place, "aria-busy", isBusy && "true");
  }

  /** What went wrong, until it is said that nothing is any more. */
  complain(text = ""): void {
    put(this.#problem, text);
    set(this.#problem, "hidden", text === "");
  }

  /** Calls a tool; a button that is given waits with it. Never rejects. */
  async call(name: string, args: Json, button?: HTMLButtonElement): Promise<Answer> {
    this.complain();
    // Still in the order of the keyboard: who pressed it stays where they are.
    if (button) set(button, "aria-disabled", "true");
    try {
      const answer = answerOf(await this.view.callServerTool({ name, arguments: args }));
      if (!answer.ok) this.complain(answer.text);
      return answer;
    } catch (error) {
      const text = (error as Error).message;
      this.complain(text);
      return { ok: false, data: undefined, text, problems: {} };
    } finally {
      if (button) set(button, "aria-disabled", false);
    }
  }

  /** Says something in the conversation, for the person; `isBesides` when it is done even if the host does not take it. */
  message(text: string, isBesides = false): Promise<unknown> {
    return this.#ask("ui/message", { role: "user", content: [{ type: "text", text }] }, isBesides);
  }

  /** Has the model know something, without a word in the conversation. A host that does not take it is no failure. */
  context(text: string, structuredContent?: Json): Promise<unknown> {
    return this.#ask(
      "ui/update-model-context",
      { content: [{ type: "text", text }], ...(structuredContent && { structuredContent }) },
      true,
    );
  }

  /** Hands the person a file. */
  download(name: string, mimeType: string, text: string): Promise<unknown> {
    const resource = { uri: `file:///${encodeURIComponent(name)}`, mimeType, text };
    return this.#ask("ui/download-file", { contents: [{ type: "resource", resource }] });
  }

  #ask(
    method: "ui/message" | "ui/update-model-context" | "ui/download-file",
    params: object,
    isQuiet?: boolean,
  ): Promise<unknown> {
    return this.view
      .askHost(method, params as never)
      .catch((error) => isQuiet || this.complain((error as Error).message));
  }

  /** A number as people here write it. */
  number(value: number, options?: Intl.NumberFormatOptions): string {
    return new Intl.NumberFormat(this.locale, options).format(value);
  }

  /** A date as people here write it; what is none stays as it is. */
  date(value: unknown, options: Intl.DateTimeFormatOptions = { dateStyle: "medium" }): string {
    const date = new Date(value as string);
    const { timeZone } = this.view.getHostContext() ?? {};
    // A day without a time is that day everywhere.
    const zone = /^\d{4}-\d\d-\d\d$/.test(`${value}`) ? "UTC" : timeZone;
    return Number.isNaN(date.getTime())
      ? `${value}`
      : new Intl.DateTimeFormat(this.locale, { ...options, ...(zone && { timeZone: zone }) }).format(date);
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
  view.on("toolinputpartial", ({ arguments: input = {} }) => made().input?.(input as Json, false));
  view.on("toolinput", ({ arguments: input = {} }) => {
    made().input?.(input as Json, true);
    if (!made().isReady) kit.say("Working …", true);
  });
  view.on("toolresult", (result) => {
    shown = answerOf(result as Result);
    const { ok, data, text } = shown;
    kit.say();
    kit.complain(ok ? "" : text);
    if (ok) made().data(data, text);
    else made().failed?.(shown);
  });
  view.on("toolcancelled", ({ reason }) => kit.say(`Cancelled${reason ? `: ${reason}` : "."}`));
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

/** A result's data: its own, or JSON in its text, or the text. */
function answerOf({ content, structuredContent, isError, _meta }: Result): Answer {
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  let data: unknown = structuredContent;
  if (data === undefined) {
    try {
      data = JSON.parse(text);
    } catch {
      data = text === "" ? undefined : text;
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
