import type { FrameFailureCode } from "@vitrine/host";
import { german } from "@vitrine/host/languages";
import { JsonText, type Tool, type UiDocumentErrorCode } from "@vitrine/protocol";
import type { ViewPlace } from "@vitrine/wire";
import { describe, expect, it } from "vitest";
import { AppLog } from "../app/app-log.js";
import { STRICT } from "../profiles/profile.js";
import { type Diagnosed, diagnose, failureText, lookAgainIn } from "./diagnose.js";

const tool = { name: "show", inputSchema: { type: "object" } } as Tool;

const PLACE: ViewPlace = {
  src: "http://p.l.localhost/n",
  origin: "http://p.l.localhost",
  viewOrigin: "http://v.l.localhost",
  allow: "",
  policy: "",
  csp: {},
  permissions: {},
  relax: [],
};

/** An app that was opened and is loading; tests advance `now`. */
function stage() {
  const time = { now: 0 };
  const log = new AppLog(() => time.now);
  const app: { -readonly [K in keyof Diagnosed]: Diagnosed[K] } = {
    state: "loading",
    failure: undefined,
    log,
    size: undefined,
    look: {},
    profile: STRICT,
    isSeen: true,
    isPaintMeasured: true,
    source: { uri: "ui://shop/cart", tool, problem: undefined, place: undefined },
  };
  log.step("opened");
  log.step("loading");
  const say = (direction: "in" | "out", method: string, params: unknown = {}, id?: number): void =>
    void log.add({ direction, message: { jsonrpc: "2.0", method, params, ...(id !== undefined && { id }) } });
  return {
    app,
    log,
    time,
    say,
    /** The app shakes hands, reports its height, and receives a result. */
    run(result: unknown = { content: [] }, height = 100) {
      log.step("document loaded");
      say("in", "ui/initialize", {}, 1);
      say("in", "ui/notifications/initialized");
      app.state = "ready";
      app.size = { height };
      log.report({ code: "painted", by: "view" });
      if (result !== null) say("out", "ui/notifications/tool-result", result);
    },
    fail(code: FrameFailureCode, detail?: string) {
      app.state = "failed";
      app.failure = { code, message: german.failures[code], detail };
    },
    block(directive: string, blocked: string) {
      log.report({ code: "csp-violation", by: "view", directive, blocked });
    },
  };
}

describe("an app whose resource cannot be shown", () => {
  const codes: Record<UiDocumentErrorCode, RegExp> = {
    "uri-invalid": /ui:\/\//,
    "content-missing": /resourceUri/,
    "mime-type-wrong": /text\/html;profile=mcp-app/,
    "document-empty": /text/,
    "base64-invalid": /base64/,
    "utf8-invalid": /UTF-8/,
    "document-too-large": /smaller/,
  };
  it.each(Object.entries(codes))("C08: %s has a fix of its own", (code, fix) => {
    const { app } = stage();
    app.source = { ...app.source, problem: { code, message: "what the gateway found" } };
    const found = diagnose(app);
    expect(found).toMatchObject({ level: "error", cause: { code } });
    expect(found?.fix).toMatch(fix);
    expect(found?.evidence.join()).toContain("what the gateway found");
  });

  it("B08: declares values that cannot be in a policy", () => {
    const { app } = stage();
    const message = "csp.connectDomains[0] * is every host";
    app.source = { ...app.source, problem: { code: "bad-resource", message } };
    expect(diagnose(app)).toMatchObject({ cause: { code: "bad-resource" } });
    expect(diagnose(app)?.evidence.join()).toContain(message);
  });

  it("is not kept any more", () => {
    const { app } = stage();
    app.source = { ...app.source, problem: { code: "load-failed", message: "its server is gone" } };
    expect(diagnose(app)).toMatchObject({ level: "error", cause: { code: "load-failed" } });
    expect(diagnose(app)?.evidence.join()).toContain("its server is gone");
    expect(diagnose(app)?.fix).toContain("call the tool again");
  });

  it("is no app at all", () => {
    const { app } = stage();
    app.source = { ...app.source, uri: "", problem: { code: "no-ui", message: 'the tool "show" has no UI' } };
    expect(diagnose(app)).toMatchObject({ cause: { code: "no-ui" } });
    expect(diagnose(app)?.fix).toContain('"show"');
  });
});

describe("an app whose frame gave up", () => {
  it.each(Object.keys(german.failures) as FrameFailureCode[])(
    "L13: %s has a cause, the frame's sentence, and a fix",
    (code) => {
      const { app, fail } = stage();
      fail(code, "what else is known");
      const found = diagnose(app);
      expect(found).toMatchObject({ level: "error", cause: { code, message: german.failures[code] } });
      expect(found?.evidence).toContain("what else is known");
      expect(found?.fix.length).toBeGreaterThan(20);
      // The frame already has the cause and the detail.
      expect(failureText(app).split("\n")[0]).toBe(`What to do: ${found?.fix}`);
      expect(failureText(app)).toContain(code);
      expect(failureText(app)).not.toContain(german.failures[code]);
      expect(failureText(app)).not.toContain("what else is known");
    },
  );

  it("never began to talk, as its script threw", () => {
    const { app, log, fail } = stage();
    log.step("document loaded");
    log.report({ code: "script-error", by: "view", message: "x is not defined" });
    fail("handshake-timeout");
    expect(diagnose(app)?.cause.code).toBe("script-error");
    expect(diagnose(app)?.evidence).toEqual([
      "The document loaded, and the app never sent ui/initialize.",
      "Its script threw: x is not defined",
    ]);
    expect(diagnose(app)?.fix).toContain("Correct the error");
  });

  it("never began to talk, as a script of it was blocked", () => {
    const { app, log, fail, block } = stage();
    log.step("document loaded");
    block("script-src-elem", "https://cdn.example.com/app.js");
    fail("handshake-timeout");
    expect(diagnose(app)?.fix).toContain("csp.resourceDomains");
  });

  it("started the handshake, and never reported that it is ready", () => {
    const { app, say, fail } = stage();
    say("in", "ui/initialize", {}, 1);
    fail("handshake-timeout");
    expect(diagnose(app)?.fix).toContain("ui/notifications/initialized");
  });

  it("never connected", () => {
    const { app, log, fail } = stage();
    log.step("document loaded");
    fail("handshake-timeout");
    expect(diagnose(app)?.fix).toContain("connect()");
  });

  it("names the declaration for the blocked script", () => {
    const { app, fail, block } = stage();
    block("script-src-elem", "https://cdn.example.com/app.js");
    fail("csp-blocked");
    expect(diagnose(app)?.fix).toContain("https://cdn.example.com");
  });

  it("is judged by events since its last retry", () => {
    const { app, log, time, fail } = stage();
    log.report({ code: "script-error", by: "view", message: "the first time" });
    time.now = 100;
    log.step("loading");
    fail("handshake-timeout");
    expect(diagnose(app)?.evidence.join()).not.toContain("the first time");
  });
});

it("a view that its server cannot read is not a tool without one: names the file, and the reason", () => {
  const { app } = stage();
  const message = 'the server cannot read the UI of "cart": tools/cart/ui/ui.meta.json:2: unknown key';
  app.source = { ...app.source, uri: "", problem: { code: "view-unreadable", message } };
  expect(diagnose(app)).toMatchObject({ level: "error", cause: { code: "view-unreadable" } });
  expect(diagnose(app)?.evidence.join()).toContain("ui.meta.json:2");
});

describe("an app that has not started", () => {
  it("is given its time", () => {
    expect(diagnose(stage().app)).toBeUndefined();
  });

  it("will not: its script threw", () => {
    const { app, log } = stage();
    log.report({ code: "script-error", by: "view", message: "x is not defined" });
    expect(diagnose(app)).toMatchObject({ level: "error", cause: { code: "script-error" } });
  });

  it("will not: its script was blocked", () => {
    const { app, block } = stage();
    block("script-src-elem", "https://cdn.example.com/app.js");
    expect(diagnose(app)).toMatchObject({ level: "error", cause: { code: "script-blocked" } });
  });

  it("may only have tried whether it may use eval", () => {
    const { app, block } = stage();
    block("script-src", "eval");
    expect(diagnose(app)).toBeUndefined();
  });
});

describe("an app that runs", () => {
  it("reports nothing when all is well", () => {
    const { app, time, run } = stage();
    run();
    time.now = 60_000;
    expect(diagnose(app)).toBeUndefined();
    expect(failureText(app)).toBe("");
  });

  it("shows a result that reports a failure, however it came", () => {
    const result = { isError: true, content: [{ type: "text", text: "no such city" }] };
    for (const params of [result, new JsonText(JSON.stringify(result))]) {
      const { app, run } = stage();
      run(params);
      expect(diagnose(app)).toMatchObject({ level: "warning", cause: { code: "result-error" } });
      expect(diagnose(app)?.evidence).toEqual(["The result says: no such city"]);
    }
  });

  it("does not take the app's own text for a result", () => {
    const { app, say, time, run } = stage();
    run(null);
    say("in", "ui/notifications/tool-result", { isError: true });
    time.now = 3000;
    expect(diagnose(app)).toMatchObject({ cause: { code: "result-missing" } });
  });

  it("shows a call that ended without a result", () => {
    const { app, say, run } = stage();
    run(null);
    say("out", "ui/notifications/tool-cancelled", { reason: "the server exited" });
    expect(diagnose(app)).toMatchObject({ cause: { code: "call-ended" } });
    expect(diagnose(app)?.evidence).toEqual(["Reason: the server exited"]);
  });

  it("waits for its result, and is given some time first", () => {
    const { app, time, run } = stage();
    run(null);
    expect(diagnose(app)).toBeUndefined();
    expect(lookAgainIn(app)).toBeGreaterThanOrEqual(3000);
    time.now = 3000;
    expect(diagnose(app)).toMatchObject({ level: "info", cause: { code: "result-missing" } });
    expect(lookAgainIn(app)).toBeUndefined();
  });

  it("has no height", () => {
    const { app, time, run } = stage();
    run({ content: [] }, 0);
    time.now = 3000;
    expect(diagnose(app)).toMatchObject({ level: "warning", cause: { code: "zero-height" } });
    app.look = { height: 300 };
    expect(diagnose(app)).toBeUndefined();
  });

  it("never reported its height", () => {
    const { app, time, run } = stage();
    run();
    app.size = undefined;
    time.now = 3000;
    expect(diagnose(app)).toMatchObject({ level: "info", cause: { code: "no-size" } });
  });

  it("has a script that was blocked, or threw", () => {
    const { app, log, run, block } = stage();
    run();
    log.report({ code: "script-error", by: "view", message: "x is not defined" });
    expect(diagnose(app)).toMatchObject({ level: "warning", cause: { code: "script-error" } });
    block("script-src-elem", "https://cdn.example.com/chart.js");
    expect(diagnose(app)).toMatchObject({ level: "warning", cause: { code: "script-blocked" } });
  });

  it("is ready and has drawn nothing, where that would be seen and the browser would report it", () => {
    const { app, log, run, time } = stage();
    log.step("loading");
    run();
    time.now = 3000;
    expect(diagnose(app)).toBeUndefined();
    // Opened again, it draws nothing.
    time.now = 4000;
    log.step("loading");
    log.step("document loaded");
    log.add({ direction: "in", message: { method: "ui/initialize", id: 2 } });
    log.add({ direction: "in", message: { method: "ui/notifications/initialized" } });
    log.add({ direction: "out", message: { method: "ui/notifications/tool-result", params: {} } });
    expect(diagnose(app)).toBeUndefined();
    time.now = 8000;
    expect(diagnose(app)).toMatchObject({ level: "warning", cause: { code: "blank" } });
    app.isSeen = false;
    expect(diagnose(app)).toBeUndefined();
    app.isSeen = true;
    app.isPaintMeasured = false;
    expect(diagnose(app)).toBeUndefined();
  });

  it("had a request blocked, and failed because of that: names the domain and the declaration", () => {
    const { app, log, run, block } = stage();
    block("connect-src", "https://api.example/tea?secret=1");
    log.report({
      code: "script-error",
      by: "view",
      message: "Uncaught TypeError: Failed to fetch",
      place: "document:12:5",
    });
    const expected = {
      cause: { code: "request-blocked", message: expect.stringContaining("a request to api.example") },
      fix: expect.stringContaining("https://api.example, declare it in csp.connectDomains"),
    };
    expect(diagnose(app)).toMatchObject({ level: "error", ...expected });
    run();
    expect(diagnose(app)).toMatchObject({ level: "warning", ...expected });
    expect(diagnose(app)?.evidence.at(-1)).toBe(
      "Its script threw: Uncaught TypeError: Failed to fetch (document:12:5)",
    );
  });

  it("has an error of its own beside a request that was blocked", () => {
    const { app, log, run, block } = stage();
    run();
    block("connect-src", "https://api.example/tea");
    log.report({ code: "script-error", by: "view", message: "x is not defined" });
    expect(diagnose(app)).toMatchObject({ cause: { code: "script-error" } });
  });

  it("has no error when only an observer of sizes is called again", () => {
    const { app, log, run } = stage();
    run();
    const message = "ResizeObserver loop completed with undelivered notifications.";
    log.report({ code: "script-error", by: "view", message });
    expect(diagnose(app)).toBeUndefined();
  });

  it("uses a declaration that its profile blocks: names the profile, and the fix", () => {
    const { app, run, block, time } = stage();
    run();
    const narrowed = { frameDomains: ["https://maps.example.com"] };
    app.source = { ...app.source, place: { ...PLACE, narrowed } };
    time.now = 10_000;
    expect(diagnose(app)).toBeUndefined();
    block("frame-src", "https://maps.example.com/embed");
    expect(diagnose(app)).toMatchObject({
      level: "warning",
      cause: { code: "profile-blocked", message: expect.stringContaining(STRICT.title) },
    });
    expect(diagnose(app)?.evidence).toEqual(["frame-src blocked https://maps.example.com/embed"]);
    expect(diagnose(app)?.fix).toContain("ui/open-link");
  });

  it("does not respond", () => {
    const { app, run } = stage();
    run();
    app.state = "unresponsive";
    expect(diagnose(app)).toMatchObject({ cause: { code: "unresponsive" } });
  });

  it("was closed", () => {
    const { app, run } = stage();
    run();
    app.state = "closed";
    expect(diagnose(app)).toMatchObject({ level: "info", cause: { code: "view-closed" } });
  });

  it("is still known after its messages were forgotten", () => {
    const { app, log, run } = stage();
    run({ isError: true });
    log.clear();
    expect(diagnose(app)).toMatchObject({ cause: { code: "result-error" } });
  });
});
