import { JsonText } from "@vitrine/protocol";
import { describe, expect, it } from "vitest";
import { CALLS, EMAILS, redact, SECRETS, TOKENS } from "../redaction/redact.js";
import { countAt } from "../redaction/redact-paths.js";
import { REDACTED } from "../redaction/redacted.js";
import { compare } from "./compare.js";
import {
  isMessage,
  type RecordedEvent,
  type Recording,
  RecordingError,
  readRecording,
  writeRecording,
} from "./recording.js";

const recording = (events: readonly RecordedEvent[] = []): Recording => ({
  header: {
    format: "vitrine-recording",
    version: 1,
    at: "2026-11-15T12:00:00.000Z",
    server: "shop",
    uri: "ui://shop/cart",
    title: "Cart",
    tool: { name: "cart", inputSchema: { type: "object" } },
    document: { html: "<p>write to me@example.org", meta: { prefersBorder: true } },
    host: { name: "host", version: "1" },
    context: { theme: "dark" },
    profile: "strict",
    look: { width: 400 },
    relax: [],
    dropped: 0,
  },
  events,
  skipped: 0,
});
const call = (id: number, args: object): RecordedEvent => ({
  t: id,
  d: "in",
  m: { jsonrpc: "2.0", id, method: "tools/call", params: { name: "buy", arguments: args } },
});
const events: RecordedEvent[] = [
  { t: 0, step: "loading" },
  call(1, { count: 2 }),
  { t: 2, d: "out", m: { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "bought" }] } } },
  { t: 3, d: "in", m: { jsonrpc: "2.0", method: "notifications/message", params: {} }, person: true },
  { t: 4, line: { level: "error", from: "script", text: "no" } },
  { t: 5, violation: { directive: "img-src", blocked: "https://x.example" } },
  { t: 6, did: { click: "Buy" } },
  { t: 7, did: { wait: "Thank you" } },
  { t: 8, did: { wait: 200 } },
];
const errorOf = (text: string): RecordingError => {
  try {
    readRecording(text);
  } catch (error) {
    if (error instanceof RecordingError) return error;
  }
  throw new Error("it was read");
};
const lines = (more: string): string => `${writeRecording(recording())}${more}`;

describe("the file", () => {
  it("is read as it was written", () => {
    expect(readRecording(writeRecording(recording(events)))).toEqual(recording(events));
  });

  it("marks a restored app, and no other", () => {
    const { header } = recording();
    const restored = readRecording(writeRecording({ header: { ...header, restored: true }, events }));
    expect(restored.header.restored).toBe(true);
    expect(readRecording(writeRecording(recording())).header).not.toHaveProperty("restored");
  });

  it("holds results that came as text, without an end of line or with the ends of Windows", () => {
    const written = writeRecording(
      recording([{ t: 1, d: "out", m: { jsonrpc: "2.0", id: 1, result: new JsonText('{"content":[]}') } }]),
    );
    const [event] = readRecording(`\uFEFF${written.trimEnd().replaceAll("\n", "\r\n")}`).events;
    expect(event && isMessage(event) && event.m["result"]).toEqual({ content: [] });
  });

  it("records that an app sent values that are not JSON", () => {
    const m: Record<string, unknown> = { method: "notifications/message" };
    m["params"] = m;
    const [event] = readRecording(writeRecording(recording([{ t: 1, d: "in", m }]))).events;
    expect(event).toEqual({ t: 1, d: "in", m: { method: "notifications/message", unwritable: true } });
  });

  it.each([
    ["", "not-a-recording", "the file is empty"],
    ["hello", "not-a-recording", "line 1"],
    ['{"format":"har"}', "not-a-recording", "vitrine-recording"],
    ['{"format":"vitrine-recording","version":2}', "version-unknown", "newer vitrine"],
    ['{"format":"vitrine-recording"}', "version-unknown", "no valid version"],
    ['{"format":"vitrine-recording","version":1}', "line-invalid", "needs at"],
    [
      '{"format":"vitrine-recording","version":1,"at":"","server":"","uri":"","title":"","document":{}}',
      "line-invalid",
      "document.html",
    ],
  ])("%j is refused: %s", (text, code, words) => {
    expect(errorOf(text)).toMatchObject({ code, message: expect.stringContaining(words) });
  });

  it.each([
    ["{", "not a JSON object"],
    ["[]", "not a JSON object"],
    ['{"d":"in","m":{}}', '"t" must be'],
    ['{"t":-1,"step":"x"}', '"t" must be'],
    ['{"t":1,"d":"up","m":{}}', '"d" must be'],
    ['{"t":1,"d":"in","m":[]}', '"m" must be'],
    ['{"t":1,"step":1}', '"step" must be'],
    ['{"t":1,"line":{}}', '"line" must be'],
    ['{"t":1,"violation":{}}', '"violation" must be'],
    ['{"t":1,"did":"click"}', '"did" must be'],
    ['{"t":1,"did":{"click":" "}}', '"did" must be'],
    ['{"t":1,"did":{"wait":-1}}', '"did" must be'],
    ['{"t":1,"did":{"wait":1e9}}', '"did" must be'],
  ])("an event %s is refused with the number of its line", (event, words) => {
    const error = errorOf(lines(`{"t":0,"step":"loading"}\n\n${event}`));
    expect(error).toMatchObject({ code: "line-invalid", line: 4 });
    expect(error.message).toContain(`line 4: `);
    expect(error.message).toContain(words);
  });

  it("passes over kinds of events that it does not know, and counts them", () => {
    const read = readRecording(lines('{"t":1,"frame":"…"}\n{"t":2,"step":"ready"}\n'));
    expect(read.skipped).toBe(1);
    expect(read.events).toEqual([{ t: 2, step: "ready" }]);
  });

  it("reads lines of a console, which older files have", () => {
    const line = { level: "info", from: "console", text: "hello" };
    expect(readRecording(lines(JSON.stringify({ t: 1, line }))).events).toEqual([{ t: 1, line }]);
  });

  it("has a limit of events", () => {
    expect(errorOf(lines('{"t":1,"step":"x"}\n'.repeat(250_001))).code).toBe("too-large");
  });
});

describe("redaction", () => {
  const secret = recording([
    call(1, {
      token: "abc",
      list: [{ API_KEY: { deep: 1 } }],
      note: "ask joe@example.org, Bearer abcdefghijkl",
    }),
    { t: 2, d: "out", m: { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "secret" }] } } },
  ]);
  const paramsOf = ({ events: [first] }: Recording): unknown =>
    first && isMessage(first) && (first.m["params"] as { arguments: unknown }).arguments;

  it("redacts the values of keys, however they are written, and reports it", () => {
    const clean = redact(secret, [SECRETS]);
    expect(paramsOf(clean)).toMatchObject({ token: REDACTED, list: [{ API_KEY: REDACTED }] });
    expect(clean.header.redacted).toEqual([expect.stringMatching(/^values of .*token.*: 2$/)]);
    expect(paramsOf(secret)).toMatchObject({ token: "abc" });
  });

  it("takes parts out of text", () => {
    expect(paramsOf(redact(secret, [EMAILS, TOKENS]))).toMatchObject({
      note: `ask ${REDACTED}, ${REDACTED}`,
    });
  });

  it("redacts values at a path", () => {
    const clean = redact(secret, [{ paths: ["params.arguments.list.*", "result.content.0.text"] }]);
    expect(paramsOf(clean)).toMatchObject({ token: "abc", list: [REDACTED] });
    expect(writeRecording(clean)).not.toContain('"secret"');
  });

  it("a path of a call also redacts the tool's own input and result", () => {
    const told = (name: string, params: object): RecordedEvent => ({
      t: 1,
      d: "out",
      m: { jsonrpc: "2.0", method: `ui/notifications/${name}`, params },
    });
    const content = [{ type: "text", text: '{"user":"hidden"}' }];
    const shown = recording([
      told("tool-input-partial", { arguments: { user: "hidden" } }),
      told("tool-input", { arguments: { user: "hidden" } }),
      told("tool-result", { content }),
      told("tool-result", new JsonText(JSON.stringify({ content }))),
      { t: 2, d: "out", m: { jsonrpc: "2.0", id: 1, result: { content } } },
      { t: 3, d: "in", m: { jsonrpc: "2.0", id: 2, method: "ui/message", params: { content: [] } } },
    ]);
    const paths = ["params.arguments.user", "result.content.*.text..user"];
    expect(writeRecording(redact(shown, [{ paths }]))).not.toContain("hidden");
    expect(paths.map((path) => countAt(shown.events, path))).toEqual([2, 3]);
    expect(countAt(shown.events, "result.content")).toBe(3);
  });

  it("redacts values at a path inside a text that is JSON, and counts them", () => {
    const text = JSON.stringify({ user: { name: "joe" }, city: "Rome" });
    const m = {
      jsonrpc: "2.0",
      id: 1,
      result: new JsonText(JSON.stringify({ content: [{ text }, { text: "{" }] })),
    };
    const answered = recording([
      { t: 1, d: "out", m },
      { t: 2, did: { click: "joe" } },
    ]);
    const path = "result.content.*.text..user.name";
    const clean = redact(answered, [{ paths: [path] }]);
    expect(writeRecording(clean)).toContain(JSON.stringify(`{"user":{"name":"${REDACTED}"},"city":"Rome"}`));
    expect(clean.header.redacted).toEqual([`values at ${path}: 1`]);
    expect(countAt(answered.events, path)).toBe(1);
    expect(countAt(clean.events, path)).toBe(0);
    expect(countAt(answered.events, "result.content.*.text.user")).toBe(0);
  });

  it("takes out all that methods asked and were answered, and leaves that they were", () => {
    const clean = redact(secret, [CALLS]);
    expect(writeRecording(clean)).not.toMatch(/abc|joe|"secret"/);
    expect(clean.events).toHaveLength(2);
    expect(clean.header.redacted).toEqual([expect.stringContaining(": 2")]);
  });

  it("survives the file, and leaves the document alone", () => {
    const read = readRecording(writeRecording(redact(secret, [EMAILS])));
    expect(read.header.redacted).toEqual(["e-mail addresses: 1"]);
    expect(read.header.document.html).toContain("me@example.org");
  });

  it("makes values that are the same as any", () => {
    expect(compare(redact(secret, [SECRETS, EMAILS]).events, secret.events).isSame).toBe(true);
    expect(compare(redact(secret, [CALLS]).events, secret.events).isSame).toBe(true);
  });
});
