import type { Decision } from "@vitrine/guard";
import { describe, expect, it } from "vitest";
import { isPolicyKey } from "../config/policy-key.js";
import { defaultPolicy, operatorDecision, type PolicySources, rememberable, subjectOf } from "./policy.js";

const sources = (more: { server?: object; settings?: object } = {}): PolicySources => ({
  server: { policy: {}, trusted: false, ...more.server },
  settings: { policy: {}, strict: false, ...more.settings },
});
const tool = (annotations?: object) => ({ name: "t", inputSchema: { type: "object" as const }, annotations });

describe("the default", () => {
  it.each([
    ["ping", "allow"],
    ["tools/list", "allow"],
    ["resources/read", "allow"],
    ["resources/list", "allow"],
    ["resources/templates/list", "allow"],
    ["resources/subscribe", "allow"],
    ["prompts/get", "allow"],
    ["ui/update-model-context", "allow"],
    ["ui/request-display-mode", "allow"],
    ["notifications/message", "allow"],
    ["ui/notifications/size-changed", "allow"],
    ["tools/call", "ask"],
    ["ui/open-link", "ask"],
    ["ui/download-file", "ask"],
    ["ui/message", "ask"],
    ["sampling/createMessage", "ask"],
    ["ui/permission", "ask"],
    ["ui/whatever-comes-next", "deny"],
    ["resources/delete", "deny"],
    ["x-notifications/message", "deny"],
    ["constructor", "deny"],
    ["", "deny"],
  ] as const)("of %s is %s", (method, decision) => {
    expect(defaultPolicy(sources(), { method })).toBe(decision);
  });

  it.each([
    [undefined, "ask", "allow"],
    [{}, "ask", "allow"],
    [{ readOnlyHint: true }, "allow", "allow"],
    [{ readOnlyHint: "true" }, "ask", "allow"],
    [{ destructiveHint: false }, "ask", "allow"],
    [{ destructiveHint: true }, "ask", "ask"],
    [{ readOnlyHint: true, destructiveHint: true }, "ask", "ask"],
  ] as const)("of a tool with %j is %s, and %s if its server is trusted", (hints, stranger, trusted) => {
    const asked = { method: "tools/call", tool: tool(hints) };
    expect(defaultPolicy(sources(), asked)).toBe(stranger);
    expect(defaultPolicy(sources({ server: { trusted: true } }), asked)).toBe(trusted);
    const strict = sources({ server: { trusted: true }, settings: { strict: true } });
    expect(defaultPolicy(strict, asked)).toBe(stranger);
  });

  it("trust applies only to a server's own tools", () => {
    const trusted = sources({ server: { trusted: true } });
    for (const method of ["ui/open-link", "ui/download-file", "ui/message", "sampling/createMessage"])
      expect(defaultPolicy(trusted, { method })).toBe("ask");
  });
});

describe("the operator's tables", () => {
  const view = { tool: "cart", uri: "ui://shop/cart" };
  const decide = (server: Record<string, Decision>, all: Record<string, Decision> = {}, about = {}) =>
    operatorDecision(
      sources({ server: { policy: server }, settings: { policy: all } }),
      { method: "tools/call", subject: "pay", params: { name: "pay" }, ...about },
      view,
    );

  it("decide nothing about methods that they do not name", () => {
    expect(decide({}, {})).toBeUndefined();
    expect(
      decide({ "tools/call:Pay": "allow", "tools/call:pay ": "allow", "Tools/call": "allow" }),
    ).toBeUndefined();
    expect(decide({}, {}, { method: "constructor", subject: "" })).toBeUndefined();
  });

  it("the server's table takes precedence over the global one, in both directions", () => {
    expect(decide({ "tools/call": "allow" }, { "tools/call:pay": "deny" })).toBe("allow");
    expect(decide({ "tools/call": "deny" }, { "tools/call:pay": "allow" })).toBe("deny");
    expect(decide({ "tools/call:other": "deny" }, { "tools/call": "allow" })).toBe("allow");
  });

  it("the more specific key of a table counts, and a tool is more specific than a view", () => {
    const table: [string, Decision][] = [
      ["view:ui://shop/cart:tools/call:pay", "deny"],
      ["view:cart:tools/call:pay", "ask"],
      ["tools/call:pay", "allow"],
      ["view:ui://shop/cart:tools/call", "ask"],
      ["view:cart:tools/call", "deny"],
      ["tools/call", "allow"],
    ];
    for (let from = 0; from < table.length; from++) {
      expect(decide(Object.fromEntries(table.slice(from)))).toBe(table[from]?.[1]);
    }
  });

  it("do not apply to another view", () => {
    expect(
      decide({ "view:bill:tools/call": "deny", "view:ui://shop/cart/:tools/call": "deny" }),
    ).toBeUndefined();
  });

  it("can name resources and prompts, too", () => {
    const read = { method: "resources/read", subject: "", params: { uri: "note://1" } };
    expect(decide({ "resources/read:note://1": "deny" }, {}, read)).toBe("deny");
    const prompt = { method: "prompts/get", subject: "", params: { name: "p" } };
    expect(decide({ "prompts/get:p": "ask" }, {}, prompt)).toBe("ask");
  });

  it.each([
    ["resources/read", "uri", "name"],
    ["resources/subscribe", "uri", "name"],
    ["prompts/get", "name", "uri"],
    ["tools/call", "name", "uri"],
  ])("of %s compare its %s, whatever its %s", (method, compared, other) => {
    const about = { method, subject: "", params: { [compared]: "x://1", [other]: "x://2" } };
    expect(decide({ [`${method}:x://1`]: "deny" }, {}, about)).toBe("deny");
    expect(decide({ [`${method}:x://2`]: "deny" }, {}, about)).toBeUndefined();
  });
});

describe("a rule about completions", () => {
  it.each([
    [{ type: "ref/prompt", name: "greet" }, "greet"],
    [{ type: "ref/resource", uri: "notes://{id}" }, "notes://{id}"],
    ["odd", ""],
  ])("of %j is about its prompt or template", (ref, subject) => {
    expect(subjectOf("completion/complete", { ref, name: "other", uri: "x://1" })).toBe(subject);
  });
});

describe("a key of a table", () => {
  const methods = ["tools/call", "ui/open-link", "ui/message", "resources/list", "completion/complete"];

  it.each([
    "tools/call",
    "tools/call:pay",
    "tools/call:a:b",
    "ui/permission:camera",
    "app-tools/call:zoom",
    "gateway/request",
    "gateway/request:demo/echo",
    "completion/complete:greet",
    "ui/message",
    "view:cart:app-tools/call",
    "view:cart:tools/call",
    "view:ui://shop/cart:tools/call:pay",
    "view:a:b:ui/open-link:docs.example",
  ])("is %s", (key) => {
    expect(isPolicyKey(key, methods)).toBe(true);
  });

  it.each([
    "",
    "tools/cal",
    "gateway/requests",
    "tools/calls",
    "tools/call:",
    "tools/call ",
    "Tools/call",
    "view:cart",
    "view:cart:",
    "view::tools/call",
    "view:tools/call",
    "view:cart:tool/call:pay",
    "view:cart:tools/calls",
    "x:cart:tools/call",
    // No call has such a subject: the rule would never apply.
    "ui/message:rude",
    "resources/list:x://1",
    "view:cart:ui/message:rude",
  ])("is not %j", (key) => {
    expect(isPolicyKey(key, methods)).toBe(false);
  });
});

describe("a remembered answer", () => {
  it.each([
    ["tools/call", tool(), ["session", "always"]],
    ["tools/call", tool({ destructiveHint: true }), []],
    ["ui/open-link", undefined, ["session", "always"]],
    ["ui/message", undefined, ["session", "always"]],
    ["ui/download-file", undefined, ["session"]],
    ["sampling/createMessage", undefined, []],
    ["elicitation/create", undefined, []],
    ["app-tools/call", tool(), ["session"]],
    ["app-tools/call", tool({ destructiveHint: true }), []],
    ["ui/permission", undefined, ["session", "always"]],
  ])("about %s %j can last for %j", (method, about, remember) => {
    expect(rememberable({ method, tool: about })).toEqual(remember);
  });
});
