import { expect, it } from "vitest";
import { compare } from "../recording/compare.js";
import { isMessage, type RecordedEvent, type Recording, writeRecording } from "../recording/recording.js";
import { EMAILS, QUERIES, redact, SECRETS, TOKENS } from "./redact.js";
import { REDACTED } from "./redacted.js";

const recording = (...events: RecordedEvent[]): Recording => ({
  header: {
    format: "vitrine-recording",
    version: 1,
    at: "2026-11-15T12:00:00.000Z",
    server: "shop",
    uri: "ui://shop/cart?ticket=hidden",
    title: "Cart",
    document: { html: "<p>", meta: {} },
    host: { name: "host", version: "1" },
    context: {},
    profile: "strict",
    look: {},
    relax: [],
    dropped: 0,
  },
  events,
  skipped: 0,
});
const say = (params: Record<string, unknown>): RecordedEvent => ({
  t: 1,
  d: "in",
  m: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "buy", arguments: params } },
});
const clean = (params: Record<string, unknown>, rules = [SECRETS, TOKENS, QUERIES]): unknown => {
  const [event] = redact(recording(say(params)), rules).events;
  return event && isMessage(event) && Object(event.m["params"]).arguments;
};

it.each([
  ...["token", "githubToken", "access_tokens", "CLIENT-SECRET", "db_password", "x-api-key", "signingKeys"],
  ...["Proxy-Authorization", "Set-Cookie", "mcp-session-id", "awsCredentials"],
])("takes out the value of %s: names are matched by how they end", (key) => {
  expect(clean({ [key]: "hidden", keyboard: "qwerty" })).toEqual({ [key]: REDACTED, keyboard: "qwerty" });
});

it("leaves the number by which a call and its progress find each other", () => {
  expect(clean({ _meta: { progressToken: 7 } })).toEqual({ _meta: { progressToken: 7 } });
});

it("searches texts that are JSON, also JSON in JSON, and leaves other texts unchanged", () => {
  const inner = JSON.stringify({ password: "hidden", city: "Rome" });
  const text = ` {"deep": [${JSON.stringify({ inner })}]}`;
  const plain = '{ "city":  "Rome" }';
  const found = clean({ text, plain, half: '{"token": ' }) as Record<string, string>;
  expect(JSON.stringify(found)).not.toContain("hidden");
  expect(found["text"]).toContain("Rome");
  expect(found).toMatchObject({ plain, half: '{"token": ' });
});

it("finds escaped values in JSON", () => {
  expect(clean({ text: '{"note":"ask joe\\u0040example.org"}' }, [EMAILS])).toEqual({
    text: `{"note":"ask ${REDACTED}"}`,
  });
});

it("takes out the values of queries in addresses, and secrets in addresses of other texts", () => {
  expect(
    clean({
      uri: "notes://all?q=hidden&n=hidden#code=hidden",
      imageUrl: "/picture?id=hidden",
      text: "see https://joe:hidden@a.example/x?page=2&api_key=hidden, or https://b.example/?q=tea",
      src: "data:image/png;base64,AAAA==",
    }),
  ).toEqual({
    uri: `notes://all?q=${REDACTED}&n=${REDACTED}#code=${REDACTED}`,
    imageUrl: `/picture?id=${REDACTED}`,
    text: `see https://joe:${REDACTED}@a.example/x?page=2&api_key=${REDACTED} or https://b.example/?q=tea`,
    src: "data:image/png;base64,AAAA==",
  });
});

it("searches the header and blocked resources too", () => {
  const blocked: RecordedEvent = {
    t: 1,
    violation: { directive: "img-src", blocked: "https://a.example/?k=hidden" },
  };
  const redacted = redact(recording(blocked), [SECRETS, QUERIES]);
  expect(writeRecording(redacted)).not.toContain("hidden");
  expect(redacted.header.redacted).toEqual([expect.stringMatching(/: 0$/), "values in addresses: 2"]);
});

it("redacts values that are nested too deep as a whole", () => {
  const text = `${"[".repeat(100_000)}{"token":"hidden"}${"]".repeat(100_000)}`;
  expect(JSON.stringify(clean({ text }))).not.toContain("hidden");
});

it("makes texts equal that differ only in redacted values", () => {
  const then = recording(say({ text: '{ "token": "a", "n": 1 }', uri: "x://y?z=1" }));
  const { events } = redact(then, [SECRETS, QUERIES]);
  const now = (n: number) => [say({ text: `{ "token": "b", "n": ${n} }`, uri: "x://y?z=2" })];
  expect(compare(events, now(1)).isSame).toBe(true);
  expect(compare(events, now(2)).isSame).toBe(false);
});

it("redacts a value wherever it appears again: in results, messages, texts with JSON in them, and other arguments", () => {
  const events: RecordedEvent[] = [
    say({ pin: 4711, user: { name: "Ada Lovelace" } }),
    {
      t: 4711,
      d: "out",
      m: {
        jsonrpc: "2.0",
        id: 1,
        result: { content: [{ type: "text", text: "Hello Ada Lovelace, 4711." }] },
      },
    },
    {
      t: 3,
      d: "out",
      m: {
        jsonrpc: "2.0",
        method: "ui/notifications/tool-result",
        params: {
          content: [{ type: "text", text: '{"owner":"Ada Lovelace"}' }],
          structuredContent: { code: 4711, short: "Ada" },
        },
      },
    },
    {
      t: 4,
      d: "in",
      m: {
        jsonrpc: "2.0",
        id: 2,
        method: "ui/message",
        params: { role: "user", content: [{ type: "text", text: "I am Ada Lovelace" }] },
      },
    },
  ];
  const paths = ["params.arguments.pin", "params.arguments.user"];
  const result = redact(recording(...events), [{ paths }]);
  const text = JSON.stringify(result.events);
  expect(text).not.toMatch(/Lovelace|[^t]":4711|[^:]4711/);
  expect(result.events[1]?.t).toBe(4711);
  expect(text).toContain(`Hello ${REDACTED}, ${REDACTED}.`);
  expect(text).toContain('"short":"Ada"');
  expect(text).toContain('"type":"text"');
  expect(result.header.redacted?.at(-1)).toMatch(/^the same values elsewhere: [1-9]/);
  const named = JSON.stringify(
    redact(recording(say({ token: "hush-hush", note: "with hush-hush" })), [SECRETS]).events,
  );
  expect(named).not.toContain("hush");
});

it("leaves short values and words of the protocol unchanged", () => {
  const content = [{ type: "text", text: "a text" }];
  const told = say({ token: "tools/call", word: "text", size: "XL", kind: "XL", content });
  const text = JSON.stringify(redact(recording(told), [{ keys: ["token", "word", "size"] }]).events);
  expect(text).toContain('"kind":"XL"');
  expect(text).toContain('"method":"tools/call"');
  expect(text).toContain(`"type":"text","text":"a ${REDACTED}"`);
});
