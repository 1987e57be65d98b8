import { describe, expect, it } from "vitest";
import { changeBetween, compare } from "./compare.js";
import type { RecordedEvent } from "./recording.js";

const ask = (method: string, params: object = {}, id = 1): RecordedEvent => ({
  t: 0,
  d: "in",
  m: { jsonrpc: "2.0", id, method, params },
});
const say = (method: string, params: object = {}): RecordedEvent => ({
  t: 0,
  d: "in",
  m: { jsonrpc: "2.0", method, params },
});
const byPerson = (event: RecordedEvent): RecordedEvent => ({ ...event, person: true }) as RecordedEvent;
const call = (name: string, args: object = {}, id = 1): RecordedEvent =>
  ask("tools/call", { name, arguments: args }, id);
const differences = (then: RecordedEvent[], now: RecordedEvent[]): readonly string[] =>
  compare(then, now).differences;

describe("compare", () => {
  it("overlooks ids, times, sizes, log lines, tokens of progress and the app's version", () => {
    const start = (version: string) =>
      ask("ui/initialize", { appInfo: { name: "a", version }, appCapabilities: {} }, 0);
    const then = [
      start("1.0"),
      say("ui/notifications/size-changed", { height: 1 }),
      call("a", { x: 1, y: 2 }),
    ];
    const now = [
      start("2.0"),
      say("notifications/message", { data: "hi" }),
      {
        ...ask("tools/call", { arguments: { y: 2, x: 1 }, name: "a", _meta: { progressToken: 4 } }, 77),
        t: 9,
      },
    ];
    expect(compare(then, now)).toEqual({ isSame: true, differences: [], compared: 2, untested: 0 });
  });

  it("lists missing, new, changed and moved actions", () => {
    expect(differences([call("a"), call("b")], [call("a")])).toEqual([
      'The app no longer requests tools/call "b" (message 2).',
    ]);
    expect(differences([call("a")], [call("a"), say("ui/notifications/request-teardown")])).toEqual([
      "The app now sends ui/notifications/request-teardown, which it did not.",
    ]);
    expect(differences([call("a", { city: "Rome" })], [call("a", { city: "Oslo" })])).toEqual([
      'The app requests tools/call "a" with other params (message 1): arguments.city was "Rome" and is "Oslo".',
    ]);
    expect(differences([call("a"), call("b"), call("c")], [call("b"), call("a"), call("c")])).toHaveLength(2);
  });

  it("compares actions since the app was last opened", () => {
    const again: RecordedEvent[] = [call("a"), { t: 5, step: "loading" }, call("b")];
    expect(compare(again, [call("b")]).isSame).toBe(true);
  });

  it("reports that the app fails, or that its scripts throw and its policy blocks more than before", () => {
    const ready: RecordedEvent[] = [{ t: 0, step: "ready" }];
    expect(differences(ready, [])).toEqual(["The app no longer becomes ready."]);
    expect(differences(ready, [{ t: 0, step: "failed", detail: "csp-blocked" }])).toEqual([
      "The app now fails: csp-blocked.",
    ]);
    const thrown: RecordedEvent = {
      t: 0,
      line: { level: "error", from: "script", text: "x is not defined" },
    };
    const blocked: RecordedEvent = {
      t: 0,
      violation: { directive: "img-src", blocked: "https://a.example" },
    };
    expect(differences([thrown], [thrown, thrown, blocked])).toEqual([
      "The app's policy now blocks https://a.example (img-src).",
    ]);
  });

  it("does not miss a user's actions when there is no user", () => {
    const then = [call("a"), byPerson(call("b")), call("c")];
    expect(compare(then, [call("a")])).toMatchObject({ isSame: true, compared: 1, untested: 2 });
    expect(differences(then, [call("a"), byPerson(call("b"))])).toEqual([
      'The app no longer requests tools/call "c" (message 3).',
    ]);
  });

  it("does not miss effects of a press that was not repeated, and misses them when it was", () => {
    const pressed: RecordedEvent[] = [call("a"), { t: 1, did: { click: "Refresh" } }, call("b"), call("c")];
    expect(compare(pressed, [call("a")])).toMatchObject({ isSame: true, compared: 1, untested: 2 });
    expect(compare(pressed, [call("a"), call("b")], { isRepeated: true })).toEqual({
      isSame: false,
      differences: ['The app no longer requests tools/call "c" (message 3).'],
      compared: 3,
      untested: 0,
    });
    const waited: RecordedEvent[] = [call("a"), { t: 1, did: { wait: "Sunday" } }, call("b")];
    expect(compare(waited, [call("a"), call("b")])).toMatchObject({ compared: 2, untested: 0 });
  });

  it("ignores that the app continues its activity", () => {
    expect(
      compare([call("a"), call("poll")], [call("a"), call("poll"), call("poll"), call("poll")]).isSame,
    ).toBe(true);
  });

  it("does not miss actions that have not been played yet", () => {
    expect(compare([call("a"), call("b")], [call("a")], { until: 1 }).isSame).toBe(true);
  });
});

describe("changeBetween", () => {
  it.each([
    [{ a: [1, 2] }, { a: [1] }, "a had 2 entries and has 1"],
    [{ a: 1 }, {}, "a was 1 and is absent"],
    [1, "1", 'the value was 1 and is "1"'],
    [{ a: "x [redacted] z" }, { a: "x y q" }, 'a was "x [redacted] z" and is "x y q"'],
  ])("%j and %j", (then, now, words) => {
    expect(changeBetween(then, now)).toBe(words);
  });

  it("compares JSON in texts by value, once something was redacted in it", () => {
    const then = { text: '{"token":"[redacted]","n":1}' };
    expect(changeBetween(then, { text: '{ "n": 1, "token": {"a": 2} }' })).toBeUndefined();
    expect(changeBetween(then, { text: '{ "n": 2, "token": "x" }' })).toBe("text.n was 1 and is 2");
  });

  it("accepts any value for a redacted one", () => {
    expect(changeBetween({ a: "[redacted]", b: "to [redacted]!" }, { a: [1], b: "to me!" })).toBeUndefined();
  });
});
