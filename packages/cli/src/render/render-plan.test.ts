import { expect, it } from "vitest";
import type { RenderOptions } from "./render-options.js";
import { planOf } from "./render-plan.js";

const tool = ["forecast"];

it("has a default for everything except the tool", () => {
  expect(planOf({ tool })).toMatchObject({
    tools: tool,
    all: false,
    theme: "light",
    mode: "inline",
    profile: "strict",
    timeout: 30_000,
    isTimeoutGiven: false,
    device: { name: "desktop" },
    steps: [],
    allow: [],
  });
});

it("keeps the order of clicks and waits, and distinguishes milliseconds from text", () => {
  const steps = [{ click: "Refresh" }, { wait: "200" }, { click: "#more" }, { wait: "2 days" }];
  expect(planOf({ tool, steps }).steps).toEqual([
    { click: "Refresh" },
    { wait: 200 },
    { click: "#more" },
    { wait: "2 days" },
  ]);
});

it("accepts steps for a recording, too, and paths to remove from one", () => {
  const steps = [{ click: "Refresh" }];
  expect(planOf({ replay: "a.jsonl", steps })).toMatchObject({ replay: "a.jsonl", steps, redact: [] });
  const redact = ["params.arguments.user", "result.content.*.text..name"];
  expect(planOf({ tool, trace: "a.jsonl", redact })).toMatchObject({ redact });
});

it("allows only what was given", () => {
  expect(planOf({ tool, allowLinks: true, allowMessages: false }).allow).toEqual(["links"]);
  expect(planOf({ tool, allowAll: true }).allow).toEqual(["all"]);
});

it.each<[string, RenderOptions, RegExp]>([
  ["no tool", {}, /--tool/],
  ["all and one", { tool, all: true }, /--all/],
  ["the same twice", { tool: ["a", "a"] }, /twice/],
  ["arguments for all", { all: true, args: "{}" }, /--args/],
  ["a theme", { tool, theme: "blue" }, /--theme blue: use light, dark/],
  ["a mode", { tool, mode: "wide" }, /--mode wide/],
  ["a device", { tool, device: "watch" }, /--device watch: use desktop, tablet, mobile/],
  ["a locale", { tool, locale: "not a tag" }, /--locale/],
  ["a time zone", { tool, timeZone: "Mars/Olympus" }, /--time-zone/],
  ["a picture of another kind", { tool, screenshot: "a.jpg" }, /\.png/],
  ["a click on nothing", { tool, steps: [{ click: " " }] }, /--click/],
  ["a wait for nothing", { tool, steps: [{ wait: "" }] }, /--wait/],
  ["a wait without end", { tool, steps: [{ wait: "99999999" }] }, /an hour/],
  ["no time at all", { tool, timeout: 0 }, /--timeout/],
  ["a tool of a recording", { tool, replay: "a.jsonl" }, /--replay/],
  ["values that are taken out of nothing", { tool, redact: ["params.a"] }, /--trace FILE/],
  ["a path that leads nowhere", { tool, trace: "a.jsonl", redact: ["user"] }, /--redact user: begin with/],
])("reports an invalid value of %s with the exit code of a usage error", (_what, options, sentence) => {
  expect(() => planOf(options)).toThrow(
    expect.objectContaining({ code: "usage", exit: 2, message: expect.stringMatching(sentence) }),
  );
});
