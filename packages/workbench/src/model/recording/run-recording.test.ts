import { describe, expect, it } from "vitest";
import { type RunRecording, writeRun } from "../../node/run-file.js";
import { RecordingError } from "./recording.js";
import { isRun, readRun } from "./run-recording.js";

const HEADER: RunRecording["header"] = {
  at: "2026-11-15T12:00:00.000Z",
  title: "Rome",
  model: "p/m",
  run: 2,
  outcome: "failed",
  reasons: ["it is wrong"],
};
const APP = JSON.stringify({
  format: "vitrine-recording",
  version: 1,
  at: "",
  server: "weather",
  uri: "ui://weather/a.html",
  title: "Weather",
  document: { html: "<p>app", meta: {} },
});
const ITEMS = [
  { kind: "user", id: "u", at: 1, content: [{ type: "text", text: "Rome?" }] },
  { kind: "model", id: "m", at: 2, model: "M", text: "Sunny", state: "done", usage: { input: 1, output: 2 } },
  {
    kind: "call",
    id: "c",
    at: 3,
    by: "model",
    server: "weather",
    tool: "forecast",
    state: "done",
    input: { city: "Rome" },
    hasApp: true,
    result: { content: [{ type: "text", text: "sunny" }] },
  },
  { kind: "note", id: "n", at: 4, level: "warning", code: "x", text: "careful" },
];

const lines = (...more: unknown[]): string =>
  [
    JSON.stringify({ format: "vitrine-run", version: 1, ...HEADER }),
    ...more.map((each) => JSON.stringify(each)),
  ].join("\n");

/** The error of a file. */
function refusal(text: string): RecordingError {
  try {
    readRun(text);
  } catch (error) {
    if (error instanceof RecordingError) return error;
  }
  throw new Error("the file is valid");
}

describe("the recording of a run", () => {
  it("has its header, its entries, and the recordings of its apps", () => {
    const text = writeRun({ header: HEADER, items: ITEMS, apps: new Map([["c", APP]]) });
    expect(isRun(text)).toBe(true);
    expect(isRun(APP)).toBe(false);
    const { header, items, apps } = readRun(text);
    expect(header).toEqual(HEADER);
    // The app is played from its recording, and not opened at its server.
    expect(items).toEqual(ITEMS.map((item) => (item.kind === "call" ? { ...item, hasApp: false } : item)));
    expect(apps.get("c")?.header).toMatchObject({ server: "weather", document: { html: "<p>app" } });
  });

  it("is untrusted: values of wrong types have no effect, and lines of unknown kinds are skipped", () => {
    const { items } = readRun(
      lines(
        {
          item: {
            kind: "user",
            id: "u",
            at: "now",
            content: { evil: 1 },
            from: { item: "x", server: 1, title: "Bank" },
          },
        },
        {
          item: {
            kind: "model",
            id: "m",
            model: {},
            text: ["x"],
            state: "streaming",
            problem: { message: 1 },
          },
        },
        { item: { kind: "call", id: "c", server: "s", tool: "t", state: "running", input: [], result: "x" } },
        { item: { kind: "note", id: "n", level: "fatal", text: 3 } },
        { item: { kind: "version", id: "v" } },
        { later: true },
      ),
    );
    expect(items).toEqual([
      {
        kind: "user",
        id: "u",
        at: 0,
        content: [{ type: "text", text: expect.stringContaining("evil") }],
        from: { item: "u", server: "", title: "Bank" },
      },
      { kind: "model", id: "m", at: 0, model: "", text: "", state: "done" },
      {
        kind: "call",
        id: "c",
        at: 0,
        by: "model",
        server: "s",
        tool: "t",
        state: "cancelled",
        input: {},
        hasApp: false,
        result: { content: [expect.anything()] },
      },
      { kind: "note", id: "n", at: 0, level: "info", code: "", text: "" },
    ]);
  });

  it("that is wrong is refused with the line", () => {
    expect(refusal(lines().replace('"version":1', '"version":2'))).toMatchObject({
      code: "version-unknown",
      line: 1,
    });
    expect(refusal(lines().replace('"title"', '"name"'))).toMatchObject({ code: "line-invalid", line: 1 });
    expect(refusal(`${lines()}\nnonsense`)).toMatchObject({ code: "line-invalid", line: 2 });
    expect(refusal(lines({ item: { kind: "user" } }))).toMatchObject({ code: "line-invalid", line: 2 });
    const bad = refusal(lines({ item: ITEMS[0] }, { app: "c", recording: "{}" }));
    expect(bad).toMatchObject({ code: "line-invalid", line: 3 });
    expect(bad.message).toContain("its recording of an app: line 1: this is not a recording");
  });
});
