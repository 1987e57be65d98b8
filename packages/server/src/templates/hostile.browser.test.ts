/**
 * Hostile texts in every part of configurations, data, results, errors and tools, in a real browser: none
 * becomes markup or script, in any template. The pages run under the default policy, which allows inline
 * code, so injected markup would act.
 */

import type { JsonSchema } from "@vitrine/protocol";
import { buildCsp } from "@vitrine/protocol";
import type { AnyTemplate } from "@vitrine/server";
import { detail, renderTemplate, TEMPLATES } from "@vitrine/server/templates";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Site, type Page as SitePage, serveSite, sharedChromium } from "../../../../testing/browser.ts";

type Json = Record<string, unknown>;

/** Documents of each template. */
const CASES = 30;

const ATTACKS = [
  "<img src=x onerror=pwned=1>",
  "</script><script>pwned=1</script>",
  "<!--<script>pwned=1",
  "javascript:pwned=1//",
  "data:text/html,<script>parent.pwned=1</script>",
  '"><svg onload=pwned=1>',
  "' onfocus=pwned=1 autofocus x='",
  "</title></style></textarea><b id=made onclick=pwned=1>",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is meant to be one.
  "${pwned=1}",
  "{{constructor.constructor('pwned=1')()}}",
  "{id}",
  "https://example.com/\"onmouseover='pwned=1'",
  "\ud800 lone \udc00",
  "\u2028pwned=1\u2029",
  "\u202eright to left\u202d\u2066",
  "\0\u0007\ufeff\ufffe",
  "url(javascript:pwned=1);}*{display:none",
  `<a href="javascript:pwned=1">${"very long ".repeat(400)}`,
];
const KEYS = ["__proto__", "constructor", "toString", "<img src=x onerror=pwned=1>", "onclick", "style"];

/** Data in the shape of each template, as JSON. Its texts are replaced, and so are names of one letter. */
const DATA: Readonly<Record<string, readonly string[]>> = {
  approval: [
    '{"title":"a","summary":"b","details":{"c":"d","n":5,"e":["f",{"g":"h"}]},"args":{"i":"j"}}',
    '"a"',
  ],
  chart: [
    '[{"a":"b","c":3,"d":1},{"a":"e","c":-5,"d":null}]',
    '{"labels":["a","b",3],"series":[{"label":"c","values":[1,2,3]},{"label":"d","values":[3,2,"e"]}]}',
  ],
  choice: ['{"question":"a","options":["b",{"value":"c","label":"d","description":"e"}]}'],
  "data-table": ['[{"a":"b","c":"d","e":5,"f":{"g":"h"}},{"a":"i","c":null}]', '{"items":[{"a":"b"}]}'],
  detail: ['{"id":1,"a":"b","c":{"d":"e"},"f":["g","h"],"i":[{"j":"k"}],"l":"https://example.com"}'],
  "diff-viewer": ['{"left":"a","right":"b"}', '{"changes":[{"value":"a"},{"value":"b","added":true}]}'],
  kanban: [
    '{"cards":[{"id":"a","title":"b","description":"c","column":"todo","priority":"d","tags":["e"],"assignee":"f"}]}',
    '{"columns":[{"id":"a","title":"b"}],"cards":[{"id":1,"title":"c","column":"d"}]}',
  ],
  progress: [
    '{"percent":40,"message":"a","steps":[{"label":"b","status":"done"},{"label":"c"}]}',
    '{"step":"a"}',
  ],
  "tree-view": [
    '[{"id":"a","label":"b","icon":"custom","iconChar":"c","meta":{"d":"e"},"children":[{"label":"f"}]}]',
  ],
};
const ANY_DATA: readonly string[] = ['{"items":[{"id":"a","title":"b"}],"message":"c"}', '"a text"'];

/** A page: its input, and every text in that. */
interface Case {
  url: string;
  title: string;
  texts: string[];
  context: Json;
  input: Json;
  result?: Json;
  cancelled?: string;
  /** Results of the tools that the page calls. */
  answer: Json;
}

/** Fills in hostile texts, each with a unique number; deterministic. */
class Attacker {
  #state = 7;
  texts: string[] = [];
  /** Names in the data, which configurations refer to. */
  names = new Map<string, string>();

  constructor(seed: string) {
    for (const char of seed) this.#state = Math.imul(this.#state, 31) + char.charCodeAt(0);
  }

  /** From 0 to 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  of<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.next() * values.length)] as Value;
  }

  /** Drops all given texts. */
  begin(): void {
    this.texts = [];
    this.names = new Map();
  }

  /** The same name for the same name. */
  name(name: string): string {
    const known = this.names.get(name) ?? (name.length > 1 ? name : this.text());
    this.names.set(name, known);
    return known;
  }

  text(): string {
    const text = `${this.of(ATTACKS)}~${this.texts.length}~`;
    this.texts.push(text);
    return text;
  }

  /** A valid configuration. */
  config(schema: JsonSchema): unknown {
    const { anyOf, enum: values, pattern, type, minimum = 0, maximum = minimum + 5 } = schema;
    const { properties = {}, required = [], items = {}, minItems = 0 } = schema;
    if (anyOf) return this.config(this.of(anyOf));
    if (values) return this.of(values);
    // Values with a required pattern cannot be hostile.
    if (pattern) return ["EUR", ".csv"].find((each) => new RegExp(pattern).test(each));
    if (type === "boolean") return this.next() < 0.5;
    if (type === "integer" || type === "number")
      return minimum + Math.floor(this.next() * (maximum - minimum + 1));
    if (type === "array") return Array.from({ length: Math.max(minItems, 2) }, () => this.config(items));
    if (type !== "object") return this.text();
    const given = Object.entries(properties).filter(
      ([name]) => name === "title" || required.includes(name) || this.next() < 0.7,
    );
    const made = Object.fromEntries(
      given.map(([name, each]) => [
        name,
        /^(key|x)$/.test(name) ? this.of([...this.names.values(), "a"]) : this.config(each),
      ]),
    );
    return Object.keys(properties).length ? made : this.data({ a: "b", c: { d: "e" } });
  }

  /** Data of the same shape, with hostile texts, and some invalid names. */
  data(example: unknown): unknown {
    if (typeof example === "string") return this.next() < 0.1 ? example : this.text();
    if (Array.isArray(example)) return example.map((each) => this.data(each));
    if (typeof example !== "object" || example === null) return example;
    const entries = Object.entries(example).map(([name, each]) => [this.name(name), this.data(each)]);
    return Object.fromEntries(this.next() < 0.3 ? [...entries, [this.of(KEYS), this.text()]] : entries);
  }

  result(data: unknown, isError = this.next() < 0.3): Json {
    if (isError) {
      const problems = this.data({ [this.of(KEYS)]: "a", name: "b" });
      return {
        isError,
        content: [{ type: "text", text: this.text() }],
        _meta: { "vitrine/problems": problems },
      };
    }
    return Array.isArray(data) || typeof data === "string"
      ? { content: [{ type: "text", text: typeof data === "string" ? data : JSON.stringify(data) }] }
      : { content: [{ type: "text", text: this.text() }], structuredContent: data };
  }
}

/** Creates the cases of a template, and serves their documents. */
function casesOf(template: AnyTemplate): Case[] {
  const { name } = template;
  const examples = DATA[name] ?? ANY_DATA;
  const attacker = new Attacker(name);
  const { policy } = buildCsp({}, { frameAncestors: [site.origin()] });
  return Array.from({ length: CASES }, (_, at) => {
    attacker.begin();
    const plain = attacker.data(JSON.parse(attacker.of(examples)));
    const config = attacker.config(template.schema) as Json & { title: string };
    // Forms are filled by the names of their fields.
    const fields = [config["fields"], ...[config["steps"]].flat().map((step) => Object(step).fields)].flat();
    const names = fields.flatMap((field) => Object(field).name ?? []);
    const data = names.length ? Object.fromEntries(names.map((each) => [each, attacker.text()])) : plain;
    const properties = {
      [attacker.text()]: { type: "string", title: attacker.text(), enum: [attacker.text()] },
      b: { description: attacker.text() },
    };
    const url = `/views/${name}/${at}`;
    pages[url] = {
      body: renderTemplate(template, config as never),
      headers: { "content-security-policy": policy },
    };
    return {
      url,
      title: config.title,
      context: {
        locale: attacker.of(["en", "ar", attacker.text()]),
        toolInfo: { tool: { name: attacker.text(), inputSchema: { type: "object", properties } } },
      },
      input: typeof data === "object" && !Array.isArray(data) ? (data as Json) : { data },
      ...(at % 10 === 1 ? { cancelled: attacker.text() } : { result: attacker.result(data, at % 10 === 0) }),
      answer: attacker.result(attacker.data(JSON.parse(attacker.of(examples)))),
      texts: attacker.texts,
    };
  });
}

/** Runs in each page first: records what must not happen. */
function trap(): void {
  const found = new Set<string>();
  /** Features that only the document itself may have, and their number. */
  const own = new Map([
    ["script", 2],
    ["style", 1],
    ["meta", 2],
  ]);
  Object.assign(globalThis, { found });
  Object.defineProperty(globalThis, "pwned", { set: () => found.add("a text was run") });
  addEventListener("securitypolicyviolation", (event) => found.add(`blocked ${event.violatedDirective}`));
  addEventListener("error", (event) => found.add(`error ${event.message ?? "of loading"}`), true);
  addEventListener("unhandledrejection", ({ reason }) => found.add(`rejected ${reason}`));
  const ALIEN =
    "#made, img, iframe, frame, object, embed, link, base, video, audio, foreignObject, use, animate, set";
  const readAttributes = (each: Element): void => {
    for (const { name, value } of each.attributes) {
      if (/^on|^srcdoc$|action$/i.test(name)) found.add(`attribute ${name}`);
      if (/(href|src)$/i.test(name) && !/^https?:/.test(value)) found.add(`address ${value.slice(0, 50)}`);
    }
  };
  const known = new Set<Element>();
  const read = (each: Element): void => {
    if (known.has(each)) return;
    known.add(each);
    const left = own.get(each.localName) ?? 1;
    if (own.has(each.localName)) own.set(each.localName, left - 1);
    if (left <= 0 || each.matches(ALIEN)) found.add(`element ${each.outerHTML.slice(0, 100)}`);
    readAttributes(each);
  };
  new MutationObserver((records) => {
    for (const { type, target, addedNodes } of records) {
      if (type === "attributes") readAttributes(target as Element);
      for (const node of addedNodes)
        if (node instanceof Element) for (const each of [node, ...node.querySelectorAll("*")]) read(each);
    }
  }).observe(document, { childList: true, subtree: true, attributes: true });
}

/**
 * Runs in the host's page: shows a document, sends everything, presses every button. Returns violations, and
 * the texts that showed.
 */
async function show(given: string): Promise<{ found: string[]; shown: number }> {
  const { url, title, texts, context, input, result, cancelled, answer } = JSON.parse(given) as Case;
  const frame = document.createElement("iframe");
  frame.src = url;
  // Outside the window: it has a layout and can have the focus, but is not painted.
  frame.style.cssText = "position: fixed; left: -20000px";
  const post = (message: object): void =>
    frame.contentWindow?.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const waiting = new Map<unknown, () => void>();
  const found: string[] = [];
  const host = {
    protocolVersion: "2026-01-26",
    hostInfo: { name: "host", version: "1.0.0" },
    hostCapabilities: { openLinks: {}, serverTools: {} },
    hostContext: context,
  };
  const answers: Json = { "ui/initialize": host, "tools/call": answer };
  const listening = new AbortController();
  const hear = ({ source, data: { id, method, params } }: MessageEvent): void => {
    if (source !== frame.contentWindow) return;
    if (method === "ui/open-link" && !/^https?:/.test(params.url)) found.push(`link ${params.url}`);
    if (method && id !== undefined) post({ id, result: answers[method] ?? {} });
    else waiting.get(method ?? id)?.();
  };
  addEventListener("message", hear, listening);
  const until = (what: unknown): Promise<void> => new Promise((resolve) => waiting.set(what, resolve));
  let last = 0;
  /** Messages are handled in order: all earlier ones are done. */
  const settled = async (): Promise<void> => {
    const id = `ping ${++last}`;
    const answered = until(id);
    post({ id, method: "ping" });
    await answered;
  };
  const ready = until("ui/notifications/initialized");
  document.body.append(frame);
  await ready;
  const notify = (what: string, params: object): void => post({ method: `ui/notifications/${what}`, params });
  notify("tool-input-partial", { arguments: input });
  notify("tool-input", { arguments: input });
  if (result) notify("tool-result", result);
  else notify("tool-cancelled", { reason: cancelled });
  await settled();
  const view = frame.contentWindow as Window & { found: Set<string> } & typeof globalThis;
  const page = view.document;
  if (page.querySelector("h1")?.textContent !== title)
    found.push(`heading ${page.querySelector("h1")?.textContent}`);
  const words = (): string =>
    [page.querySelector("main")?.textContent]
      .concat(
        [...page.querySelectorAll("main *")].flatMap((each) => [
          (each as HTMLInputElement).value,
          ...[...each.attributes].map(({ value }) => value),
        ]),
      )
      .join("\n");
  let said = words();
  for (const each of page.querySelectorAll<HTMLElement>("button, summary, [role=treeitem]")) each.click();
  for (const each of page.querySelectorAll("[tabindex]"))
    for (const key of ["ArrowRight", "ArrowDown", "Enter"])
      each.dispatchEvent(new view.KeyboardEvent("keydown", { key, bubbles: true }));
  await settled();
  await settled();
  said += words();
  found.push(...view.found);
  frame.remove();
  // Otherwise the page would keep every document, and pass each message to all of them.
  listening.abort();
  return { found, shown: texts.filter((text) => said.includes(text)).length };
}

let browser: Browser;
let site: Site;
let page: Page;
const pages: Record<string, SitePage> = {
  "/": "<!doctype html><title>host</title><link rel=icon href=data:,>",
};
beforeAll(async () => {
  site = await serveSite(pages);
  browser = await sharedChromium();
  page = await browser.newPage();
  await page.addInitScript(trap);
  await page.goto(site.origin());
});
afterAll(async () => {
  await page?.close();
  await site?.close();
});

/** Shows all cases at once. */
async function showAll(cases: readonly Case[]): Promise<Awaited<ReturnType<typeof show>>[]> {
  // As JSON: lone surrogates do not survive otherwise.
  const given = cases.map((each) => JSON.stringify(each));
  return page.evaluate(
    ([code, all]) => {
      const run = new Function(`return ${code}`)() as typeof show;
      return Promise.all(all.map((each) => run(each)));
    },
    [show.toString(), given] as const,
  );
}

it.each(Object.entries(TEMPLATES))("%s shows hostile texts as text", async (_name, template) => {
  const cases = casesOf(template);
  const outcomes = await showAll(cases);
  expect(outcomes.flatMap(({ found }, at) => found.map((what) => `${cases[at]?.url}: ${what}`))).toEqual([]);
  const shown = outcomes.map((each) => each.shown);
  expect(Math.min(...shown)).toBeGreaterThan(0);
  expect(shown.reduce((sum, count) => sum + count)).toBeGreaterThan(2 * CASES);
});

it("the check works: it detects a page that turns text into markup", async () => {
  const cases = casesOf(detail).slice(0, 10);
  for (const { url } of cases) {
    const { body, headers = {} } = Object(pages[url]);
    const broken = body.replace(
      /\[(\w+) instanceof Node\?\1:String\(\1\)\]/,
      "[$1 instanceof Node?$1:document.createRange().createContextualFragment($1)]",
    );
    expect(broken).not.toBe(body);
    pages[url] = { body: broken, headers };
  }
  const found = new Set((await showAll(cases)).flatMap((each) => each.found));
  expect(found).toContain("a text was run");
});
