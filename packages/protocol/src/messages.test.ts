import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND } from "./errors.js";
import { NOTIFICATION_SAMPLES, REQUEST_SAMPLES } from "./messages.examples.js";
import {
  type DecodedMessage,
  decodeMessage,
  decodeParams,
  decodeResult,
  encodeError,
  encodeNotification,
  encodeRequest,
  encodeResult,
} from "./messages.js";
import { NOTIFICATIONS, type NotificationMethod, REQUESTS, type RequestMethod } from "./methods.js";
import * as examples from "./protocol.examples.js";
import type { Decoded } from "./schema.js";
import { PROTOCOL_VERSION } from "./version.js";

fc.configureGlobal({ seed: 20260126 });

const requests = Object.keys(REQUESTS) as RequestMethod[];
const notifications = Object.keys(NOTIFICATIONS) as NotificationMethod[];
const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const complaint = (decoded: Decoded<unknown> | DecodedMessage): string =>
  decoded.ok ? "accepted" : decoded.message;
const boom = (): never => {
  throw new Error("no");
};
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

/** For each method: invalid params or result, and the start of the error message. */
type Broken = [value: unknown, complaint: string][];
const NOT_AN_OBJECT: Broken = [
  [[], "params must be an object, not an array"],
  [null, "params must be an object, not null"],
  ["x", "params must be an object, not string"],
];
const BAD_META: Broken = [[{ _meta: 1 }, "params._meta must be an object"]];
const BAD_LIST: Broken = [[{ cursor: 2 }, "params.cursor must be a string, not number"], ...BAD_META];
const BAD_URI: Broken = [
  [{}, "params.uri is missing"],
  [{ uri: 1 }, "params.uri must be a string, not number"],
];
const BAD_ARGUMENTS: Broken = [
  [{ arguments: [] }, "params.arguments must be an object, not an array"],
  [{ arguments: "{}" }, "params.arguments must be an object, not string"],
];
const BAD_RESULT: Broken = [
  [{}, "params.content is missing"],
  [{ content: "x" }, "params.content must be an array, not string"],
  [{ content: [{ type: "image", data: 1, mimeType: "x" }] }, "params.content[0].data must be a string"],
  [{ content: [{ type: "video" }] }, 'params.content[0].type must be "text" or "image" or "audio" or'],
  [{ content: [], isError: "yes" }, "params.isError must be a boolean"],
  [{ content: [{ type: "resource", resource: { uri: "x" } }] }, "params.content[0].resource.text is missing"],
];

const BROKEN: { [M in RequestMethod | NotificationMethod]: Broken } = {
  ping: BAD_META,
  "ui/initialize": [
    [{ appInfo: "x" }, "params.appInfo must be an object, not string"],
    [{ appInfo: { name: 1, version: "1" } }, "params.appInfo.name must be a string"],
    [{ appCapabilities: { tools: true } }, "params.appCapabilities.tools must be an object"],
    [
      { appCapabilities: { availableDisplayModes: "pip" } },
      "params.appCapabilities.availableDisplayModes must be an array, not string",
    ],
    [{ protocolVersion: 1 }, "params.protocolVersion must be a string"],
  ],
  "ui/open-link": [
    [{}, "params.url is missing"],
    [{ url: ["https://x"] }, "params.url must be a string, not an array"],
  ],
  "ui/download-file": [
    [{}, "params.contents is missing"],
    [
      { contents: [{ type: "text", text: "x" }] },
      'params.contents[0].type must be "resource" or "resource_link"',
    ],
    [{ contents: [{ type: "resource_link", name: "x" }] }, "params.contents[0].uri is missing"],
    [{ contents: [{ type: "resource" }] }, "params.contents[0].resource is missing"],
  ],
  "ui/message": [
    [{ role: "user" }, "params.content must be an array, not undefined"],
    [{ role: "user", content: "Hi" }, "params.content must be an array, not string"],
    [{ role: "user", content: [{ type: "text" }] }, "params.content[0].text is missing"],
  ],
  "ui/update-model-context": [
    [{ content: {} }, "params.content must be an array, not object"],
    [{ structuredContent: [] }, "params.structuredContent must be an object, not an array"],
  ],
  "ui/request-display-mode": [
    [{}, "params.mode is missing"],
    [{ mode: "huge" }, 'params.mode must be "inline" or "fullscreen" or "pip", not string'],
  ],
  "ui/resource-teardown": [[{ reason: { why: 1 } }, "params.reason must be a string, not object"]],
  "tools/call": [
    [{}, "params.name is missing"],
    [{ name: 1 }, "params.name must be a string"],
    [{ name: "x", arguments: [1] }, "params.arguments must be an object, not an array"],
  ],
  "tools/list": BAD_LIST,
  "resources/read": BAD_URI,
  "resources/list": BAD_LIST,
  "resources/templates/list": BAD_LIST,
  "resources/subscribe": BAD_URI,
  "resources/unsubscribe": BAD_URI,
  "prompts/list": BAD_LIST,
  "prompts/get": [
    [{}, "params.name is missing"],
    [{ name: "x", arguments: { who: 1 } }, "params.arguments.who must be a string, not number"],
  ],
  "sampling/createMessage": [
    [{ maxTokens: 1 }, "params.messages is missing"],
    [{ messages: [] }, "params.maxTokens is missing"],
    [{ messages: [], maxTokens: 1.5 }, "params.maxTokens must be a whole number"],
    [
      { messages: [{ role: "system", content: { type: "text", text: "x" } }], maxTokens: 1 },
      'params.messages[0].role must be "user" or "assistant"',
    ],
    [
      { messages: [{ role: "user", content: [{ type: "tool_use", id: 1 }] }], maxTokens: 1 },
      "params.messages[0].content[0].id must be a string",
    ],
  ],
  "ui/notifications/initialized": NOT_AN_OBJECT,
  "ui/notifications/size-changed": [
    [{ height: "320" }, "params.height must be a finite number, not string"],
    [{ width: Number.NaN }, "params.width must be a finite number"],
  ],
  "ui/notifications/request-teardown": NOT_AN_OBJECT,
  "ui/notifications/tool-input": BAD_ARGUMENTS,
  "ui/notifications/tool-input-partial": BAD_ARGUMENTS,
  "ui/notifications/tool-result": BAD_RESULT,
  "ui/notifications/tool-cancelled": [[{ reason: 1 }, "params.reason must be a string"]],
  "ui/notifications/host-context-changed": [
    [{ theme: "blue" }, 'params.theme must be "light" or "dark"'],
    [{ safeAreaInsets: { top: 0, right: 0, bottom: 0 } }, "params.safeAreaInsets.left is missing"],
    [{ toolInfo: {} }, "params.toolInfo.tool is missing"],
    [{ toolInfo: { tool: { name: "x" } } }, "params.toolInfo.tool.inputSchema is missing"],
    [
      { toolInfo: { id: 1.5, tool: { name: "x", inputSchema: { type: "object" } } } },
      "params.toolInfo.id must be",
    ],
    [
      { containerDimensions: { maxHeight: "1" } },
      "params.containerDimensions.maxHeight must be a finite number",
    ],
    [
      { styles: { variables: { "--color-text-primary": 1 } } },
      "params.styles.variables.--color-text-primary must be a string",
    ],
  ],
  "ui/notifications/sandbox-proxy-ready": NOT_AN_OBJECT,
  "ui/notifications/sandbox-resource-ready": [
    [{}, "params.html is missing"],
    [{ html: "", csp: { connectDomains: "*" } }, "params.csp.connectDomains must be an array"],
    [{ html: "", permissions: { camera: true } }, "params.permissions.camera must be an object"],
  ],
  "notifications/message": [
    [{ data: 1 }, "params.level is missing"],
    [{ level: "loud", data: 1 }, 'params.level must be "debug" or "info"'],
    [{ level: "info" }, "params.data is missing"],
  ],
  "notifications/cancelled": [[{ requestId: {} }, "params.requestId must be a string or a whole number"]],
  "notifications/progress": [
    [{ progress: 1 }, "params.progressToken is missing"],
    [{ progressToken: 1 }, "params.progress is missing"],
    [{ progressToken: 1, progress: "half" }, "params.progress must be a finite number"],
  ],
  "notifications/tools/list_changed": BAD_META,
  "notifications/resources/list_changed": BAD_META,
  "notifications/resources/updated": BAD_URI,
  "notifications/prompts/list_changed": BAD_META,
};

const BROKEN_RESULTS: { [M in RequestMethod]: Broken } = {
  ping: [[{ _meta: [] }, "result._meta must be an object"]],
  "ui/initialize": [
    [{}, "result.protocolVersion is missing"],
    [{ protocolVersion: "x", hostInfo: { name: "x" } }, "result.hostInfo.version is missing"],
  ],
  "ui/open-link": [[{ isError: 1 }, "result.isError must be a boolean"]],
  "ui/download-file": [[{ isError: "no" }, "result.isError must be a boolean"]],
  "ui/message": [[{ isError: null }, "result.isError must be a boolean, not null"]],
  "ui/update-model-context": [[[], "result must be an object, not an array"]],
  "ui/request-display-mode": [[{}, "result.mode is missing"]],
  "ui/resource-teardown": [["bye", "result must be an object, not string"]],
  "tools/call": [[{ isError: true }, "result.content is missing"]],
  "tools/list": [
    [{ tools: [{ name: "x" }] }, "result.tools[0].inputSchema is missing"],
    [
      { tools: [{ name: "x", inputSchema: { type: "string" } }] },
      'result.tools[0].inputSchema.type must be "object"',
    ],
  ],
  "resources/read": [[{ contents: [{ uri: "x" }] }, "result.contents[0].text is missing"]],
  "resources/list": [[{ resources: [{ uri: "x" }] }, "result.resources[0].name is missing"]],
  "resources/templates/list": [[{ resourceTemplates: {} }, "result.resourceTemplates must be an array"]],
  "resources/subscribe": [[null, "result must be an object, not null"]],
  "resources/unsubscribe": [[1, "result must be an object, not number"]],
  "prompts/list": [[{ prompts: [{}] }, "result.prompts[0].name is missing"]],
  "prompts/get": [[{ messages: [{ role: "user" }] }, "result.messages[0].content is missing"]],
  "sampling/createMessage": [[{ role: "assistant", content: [] }, "result.model is missing"]],
};

describe.each(requests)("request %s", (method) => {
  it("encoded messages decode to the same, strictly", () => {
    REQUEST_SAMPLES[method].params.forEach((params, id) => {
      const message = encodeRequest(id, method, params);
      expect(message).toEqual({ jsonrpc: "2.0", id, method, params });
      expect(decodeMessage(overTheWire(message), { strict: true })).toEqual({
        ok: true,
        kind: "request",
        message: overTheWire(message),
      });
      expect(decodeParams(method, overTheWire(params), { strict: true }).ok).toBe(true);
    });
  });

  it("its answers decode to the same", () => {
    for (const result of REQUEST_SAMPLES[method].results) {
      const message = encodeResult("id", method, result);
      const decoded = decodeMessage(overTheWire(message));
      expect(decoded).toEqual({ ok: true, kind: "result", message: overTheWire(message) });
      expect(decodeResult(method, overTheWire(result))).toEqual({ ok: true, value: overTheWire(result) });
    }
  });

  it("L12: broken params are refused with -32602 and the field", () => {
    for (const [params, begin] of [...BROKEN[method], ...NOT_AN_OBJECT]) {
      expect(complaint(decodeParams(method, params))).toContain(begin);
      expect(decodeMessage({ jsonrpc: "2.0", id: 1, method, params })).toMatchObject({
        ok: false,
        code: "invalid",
        field: begin.split(" ")[0],
        rpcCode: INVALID_PARAMS,
        id: 1,
        answer: true,
      });
    }
  });

  it("a broken result is refused with the field", () => {
    for (const [result, begin] of BROKEN_RESULTS[method]) {
      expect(complaint(decodeResult(method, result))).toContain(begin);
    }
  });

  it("L12: is not a notification: without an id it is unknown and gets no answer", () => {
    expect(decodeMessage({ jsonrpc: "2.0", method, params: {} })).toMatchObject({
      rpcCode: METHOD_NOT_FOUND,
      id: null,
      answer: false,
    });
  });
});

describe.each(notifications)("notification %s", (method) => {
  it("encoded messages decode to the same, strictly", () => {
    for (const params of NOTIFICATION_SAMPLES[method]) {
      const message = encodeNotification(method, params);
      expect(message).toEqual({ jsonrpc: "2.0", method, params });
      expect(decodeMessage(overTheWire(message), { strict: true })).toEqual({
        ok: true,
        kind: "notification",
        message: overTheWire(message),
      });
    }
  });

  it("L12: broken params are refused with the field, and not answered", () => {
    for (const [params, begin] of [...BROKEN[method], ...NOT_AN_OBJECT]) {
      expect(complaint(decodeParams(method, params))).toContain(begin);
      expect(decodeMessage({ jsonrpc: "2.0", method, params })).toMatchObject({
        ok: false,
        field: begin.split(" ")[0],
        rpcCode: INVALID_PARAMS,
        id: null,
        answer: false,
      });
    }
  });

  it("is not a request: with an id it is unknown", () => {
    expect(decodeMessage({ jsonrpc: "2.0", id: 1, method, params: {} })).toMatchObject({
      rpcCode: METHOD_NOT_FOUND,
      id: 1,
      answer: true,
    });
  });
});

describe("params", () => {
  it("absent params count as empty", () => {
    expect(decodeParams("ui/notifications/initialized", undefined)).toEqual({ ok: true, value: {} });
    expect(decodeMessage({ jsonrpc: "2.0", id: 1, method: "tools/list" })).toMatchObject({
      ok: true,
      message: { params: {} },
    });
    expect(complaint(decodeParams("ui/open-link", undefined))).toBe("params.url is missing");
  });

  it("unknown fields are allowed", () => {
    const params = { url: "https://x", later: { revision: true } };
    expect(decodeParams("ui/open-link", params, { strict: true })).toEqual({ ok: true, value: params });
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty", "no/such"])(
    "the method name %s is unknown, without side effects",
    (name) => {
      const method = name as RequestMethod;
      const unknown = { ok: false, code: "invalid", field: "method", message: `unknown method ${name}` };
      expect(decodeParams(method, {})).toEqual(unknown);
      expect(decodeResult(method, {})).toEqual(unknown);
      expect(decodeMessage({ jsonrpc: "2.0", id: 1, method })).toMatchObject({ rpcCode: METHOD_NOT_FOUND });
      expect(decodeMessage({ jsonrpc: "2.0", method })).toMatchObject({ rpcCode: METHOD_NOT_FOUND });
    },
  );

  it("an unreadable value is invalid, not fatal, in tolerant mode as well", () => {
    const throwing = {
      get content(): never {
        return boom();
      },
    };
    for (const params of [revoked(), throwing]) {
      expect(complaint(decodeParams("ui/message", params))).toBe("params could not be read");
      expect(decodeParams("ui/message", params, { strict: true }).ok).toBe(false);
    }
    expect(complaint(decodeResult("tools/call", revoked()))).toBe("result could not be read");
  });
});

describe("tolerance", () => {
  const read = (method: RequestMethod, params: unknown): unknown => {
    const decoded = decodeParams(method, params);
    return decoded.ok ? decoded.value : decoded.message;
  };
  const APP = { name: "wild", version: "1.2.3" };
  const UNKNOWN = { name: "unknown", version: "0.0.0" };

  it.each([
    [
      "T01 clientInfo and capabilities",
      { protocolVersion: "2025-06-18", clientInfo: APP, capabilities: { tools: {} } },
      { protocolVersion: "2025-06-18", appInfo: APP, appCapabilities: { tools: {} } },
    ],
    [
      "T01 neither of them",
      { protocolVersion: "2026-01-26" },
      { protocolVersion: "2026-01-26", appInfo: UNKNOWN, appCapabilities: {} },
    ],
    [
      "T01 no protocolVersion",
      { appInfo: APP, appCapabilities: {} },
      { protocolVersion: PROTOCOL_VERSION, appInfo: APP, appCapabilities: {} },
    ],
    ["T01 nothing at all", {}, { protocolVersion: PROTOCOL_VERSION, appInfo: UNKNOWN, appCapabilities: {} }],
    [
      "T01 a name without a version",
      { appInfo: { name: "x" } },
      { appInfo: { name: "x", version: "0.0.0" } },
    ],
  ])("%s is accepted and converted", (_name, params, meant) => {
    expect(read("ui/initialize", params)).toMatchObject(meant);
    expect(decodeParams("ui/initialize", params, { strict: true }).ok).toBe(false);
  });

  it("T01: a ui/initialize without any params is accepted and converted", () => {
    const meant = { protocolVersion: PROTOCOL_VERSION, appInfo: UNKNOWN, appCapabilities: {} };
    expect(read("ui/initialize", undefined)).toEqual(meant);
    const message = { jsonrpc: "2.0", id: 1, method: "ui/initialize" };
    expect(decodeMessage(message)).toEqual({
      ok: true,
      kind: "request",
      message: { ...message, params: meant },
    });
    expect(decodeMessage(message, { strict: true })).toMatchObject({ ok: false, rpcCode: INVALID_PARAMS });
  });

  it("T01: the official names win over the deviating ones", () => {
    const both = {
      protocolVersion: "2026-01-26",
      appInfo: APP,
      clientInfo: { name: "other", version: "0" },
      appCapabilities: {},
      capabilities: { tools: {} },
    };
    expect(read("ui/initialize", both)).toMatchObject({ appInfo: APP, appCapabilities: {} });
  });

  it.each([
    ["T05: the long name of pip", ["inline", "picture-in-picture"], ["inline", "pip"]],
    ["T05: both names of pip", ["pip", "picture-in-picture"], ["pip"]],
    ["T01: an unknown mode", ["theater", "fullscreen"], ["fullscreen"]],
    ["T01: modes that are not strings", [1, null, {}, ["inline"], "inline"], ["inline"]],
    ["T01: only unknown modes", ["theater"], []],
  ])("%s does not fail the handshake", (_name, availableDisplayModes, meant) => {
    const hello = { protocolVersion: PROTOCOL_VERSION, appInfo: APP };
    for (const name of ["appCapabilities", "capabilities"]) {
      expect(read("ui/initialize", { ...hello, [name]: { tools: {}, availableDisplayModes } })).toMatchObject(
        { appCapabilities: { tools: {}, availableDisplayModes: meant } },
      );
    }
    const params = { ...hello, appCapabilities: { availableDisplayModes } };
    expect(decodeParams("ui/initialize", params, { strict: true }).ok).toBe(false);
  });

  it("T01: experimental entries that are not objects do not fail the handshake", () => {
    const experimental = JSON.parse('{ "a": true, "b": {}, "c": null, "d": [1], "__proto__": 1 }');
    const params = { protocolVersion: PROTOCOL_VERSION, appInfo: APP, appCapabilities: { experimental } };
    expect(read("ui/initialize", params)).toMatchObject({ appCapabilities: { experimental: { b: {} } } });
    expect(experimental.a).toBe(true);
    expect(complaint(decodeParams("ui/initialize", params, { strict: true }))).toBe(
      "params.appCapabilities.experimental.a must be an object, not boolean",
    );
  });

  it("T01: capabilities of the wrong shape are still refused, by their field", () => {
    const refusal = (appCapabilities: unknown) => read("ui/initialize", { appCapabilities });
    expect(refusal([])).toBe("params.appCapabilities must be an object, not an array");
    expect(refusal({ experimental: 1 })).toBe(
      "params.appCapabilities.experimental must be an object, not number",
    );
  });

  it("T04, D15: one content block is a list of one", () => {
    const block = { type: "text", text: "Hi" };
    const params = { role: "user", content: block };
    expect(read("ui/message", params)).toEqual({ role: "user", content: [block] });
    expect(complaint(decodeParams("ui/message", params, { strict: true }))).toBe(
      "params.content must be an array, not object",
    );
  });

  it("T04: another role becomes the user's turn, and is recorded as sentRole", () => {
    const params = { role: "assistant", content: [{ type: "text", text: "Hi" }] };
    expect(read("ui/message", params)).toEqual({ ...params, role: "user", sentRole: "assistant" });
    expect(complaint(decodeParams("ui/message", params, { strict: true }))).toBe(
      'params.role must be "user", not string',
    );
  });

  it("T04: a single broken block is still refused, by its field", () => {
    expect(read("ui/message", { role: "user", content: { type: "text" } })).toBe(
      "params.content[0].text is missing",
    );
  });

  it("T05: picture-in-picture is pip", () => {
    const params = { mode: "picture-in-picture" };
    expect(read("ui/request-display-mode", params)).toEqual({ mode: "pip" });
    expect(decodeParams("ui/request-display-mode", params, { strict: true }).ok).toBe(false);
    expect(read("ui/request-display-mode", { mode: "PiP" })).toContain("params.mode must be");
  });

  it("D11: a removed context key may be null", () => {
    const params = { theme: "dark", locale: null };
    const method = "ui/notifications/host-context-changed";
    expect(decodeParams(method, params)).toEqual({ ok: true, value: { theme: "dark", locale: undefined } });
    expect(decodeParams(method, params, { strict: true }).ok).toBe(false);
  });

  it("decodeMessage is tolerant unless strict, and never modifies its input", () => {
    const message = {
      jsonrpc: "2.0",
      id: 1,
      method: "ui/request-display-mode",
      params: { mode: "picture-in-picture" },
    };
    expect(decodeMessage(message)).toMatchObject({ ok: true, message: { params: { mode: "pip" } } });
    expect(decodeMessage(message, { strict: true })).toMatchObject({ ok: false, rpcCode: INVALID_PARAMS });
    expect(message.params.mode).toBe("picture-in-picture");
  });

  it("valid messages are not touched", () => {
    for (const method of requests) {
      for (const params of REQUEST_SAMPLES[method].params) {
        const decoded = decodeParams(method, params);
        expect(decoded).toEqual({ ok: true, value: params });
      }
    }
  });
});

describe("decodeMessage: envelopes", () => {
  const ERROR = { code: -32000, message: "no" };

  it.each([
    ["a request", { jsonrpc: "2.0", id: 1, method: "ping" }, "request"],
    ["a request with a text id", { jsonrpc: "2.0", id: "a", method: "ping" }, "request"],
    ["a request with an empty id", { jsonrpc: "2.0", id: "", method: "ping" }, "request"],
    ["a request with the longest id", { jsonrpc: "2.0", id: "x".repeat(256), method: "ping" }, "request"],
    ["a notification", { jsonrpc: "2.0", method: "ui/notifications/initialized" }, "notification"],
    ["a result", { jsonrpc: "2.0", id: 0, result: {} }, "result"],
    ["a result of null", { jsonrpc: "2.0", id: 0, result: null }, "result"],
    ["an error", { jsonrpc: "2.0", id: 0, error: ERROR }, "error"],
    ["an error without a request", { jsonrpc: "2.0", id: null, error: ERROR }, "error"],
  ])("%s", (_name, message, kind) => {
    expect(decodeMessage(message)).toMatchObject({ ok: true, kind });
  });

  it.each([
    ["nothing", undefined, "message"],
    ["null", null, "message"],
    ["text", "{}", "message"],
    ["a batch", [{ jsonrpc: "2.0", id: 1, method: "ping" }], "message"],
    ["another version", { jsonrpc: "1.0", id: 1, method: "ping" }, "jsonrpc"],
    ["no version", { id: 1, method: "ping" }, "jsonrpc"],
    ["an id of null", { jsonrpc: "2.0", id: null, method: "ping" }, "id"],
    ["an id that is an object", { jsonrpc: "2.0", id: {}, method: "ping" }, "id"],
    ["an id with a fraction", { jsonrpc: "2.0", id: 1.5, method: "ping" }, "id"],
    ["an id beyond what is exact", { jsonrpc: "2.0", id: 2 ** 60, method: "ping" }, "id"],
    ["an id of 257 characters", { jsonrpc: "2.0", id: "x".repeat(257), method: "ping" }, "id"],
    ["an id of NaN", { jsonrpc: "2.0", id: Number.NaN, result: {} }, "id"],
    ["a method that is no text", { jsonrpc: "2.0", id: 1, method: 5 }, "method"],
    ["nothing but an id", { jsonrpc: "2.0", id: 1 }, "method"],
    ["a result for nobody", { jsonrpc: "2.0", result: {} }, "method"],
    ["an error that is text", { jsonrpc: "2.0", id: 1, error: "no" }, "method"],
    ["an error without a number", { jsonrpc: "2.0", id: 1, error: { message: "no" } }, "method"],
    ["an unreadable message", revoked(), "message"],
  ])("L12: %s is not a message: -32600", (_name, message, field) => {
    expect(decodeMessage(message)).toMatchObject({
      ok: false,
      code: "invalid",
      field,
      rpcCode: INVALID_REQUEST,
    });
  });

  it.each([
    ["garbage", 7, null, true],
    ["a batch", [], null, true],
    ["an unreadable message", revoked(), null, true],
    ["an object of something else", { hello: "world" }, null, true],
    ["a request without a version", { id: 1, method: "ping" }, 1, true],
    ["a request with an id that is no id", { jsonrpc: "2.0", id: {}, method: "ping" }, null, true],
    ["a request with an id of null", { jsonrpc: "2.0", id: null, method: "ping" }, null, true],
    ["a request whose method is no text", { jsonrpc: "2.0", id: "a", method: 5 }, "a", true],
    ["a method that is no text, without an id", { jsonrpc: "2.0", method: 5 }, null, true],
    ["nothing but an id, which may be ours", { jsonrpc: "2.0", id: 1 }, null, true],
    ["an unknown request", { jsonrpc: "2.0", id: 0, method: "no/such" }, 0, true],
    ["an unknown notification", { jsonrpc: "2.0", method: "no/such" }, null, false],
    ["a notification without a version", { method: "ui/notifications/initialized" }, null, false],
    ["a result without an id", { jsonrpc: "2.0", result: {} }, null, false],
    ["a result without a version", { id: 1, result: {} }, null, false],
    ["a result with an id that is no id", { jsonrpc: "2.0", id: 1.5, result: {} }, null, false],
    ["an error that is text", { jsonrpc: "2.0", id: 1, error: "no" }, null, false],
  ])("L12: how to answer %s", (_name, message, id, answer) => {
    expect(decodeMessage(message)).toMatchObject({ ok: false, id, answer });
  });

  it("encodeError has data only if there is some", () => {
    expect(encodeError(1, -32000, "no")).toEqual({ jsonrpc: "2.0", id: 1, error: ERROR });
    expect(encodeError(null, -32000, "no", { a: 1 })).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: { ...ERROR, data: { a: 1 } },
    });
    expect(decodeMessage(encodeError(null, -32700, "not JSON"))).toMatchObject({ ok: true, kind: "error" });
  });

  it("never throws, whatever the input", () => {
    const anything = fc.anything({
      withBigInt: true,
      withNullPrototype: true,
      withMap: true,
      withDate: true,
    });
    const method = fc.oneof(fc.constantFrom<string>(...requests, ...notifications, "__proto__"), anything);
    const almost = fc.record(
      {
        jsonrpc: fc.constant("2.0"),
        id: anything,
        method,
        params: anything,
        result: anything,
        error: anything,
      },
      { requiredKeys: ["jsonrpc"] },
    );
    fc.assert(
      fc.property(fc.oneof(anything, almost), fc.boolean(), (message, strict) => {
        const decoded = decodeMessage(message, { strict });
        if (!decoded.ok)
          expect([INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS]).toContain(decoded.rpcCode);
      }),
      { numRuns: 500 },
    );
  });
});

describe("examples", () => {
  it("behave as their comments say", () => {
    expect(examples.encodeRequestExample()).toMatchObject({ id: 1, method: "ui/open-link" });
    expect(examples.encodeNotificationExample()).toEqual({
      jsonrpc: "2.0",
      method: "ui/notifications/size-changed",
      params: { height: 320 },
    });
    expect(examples.encodeResultExample()).toEqual({ jsonrpc: "2.0", id: 1, result: { mode: "inline" } });
    expect(examples.encodeErrorExample().error.code).toBe(INVALID_PARAMS);
    const { read, strict } = examples.decodeParamsExample();
    expect(read.ok).toBe(true);
    expect(complaint(strict)).toBe("params.content must be an array, not object");
    expect(examples.decodeResultExample({ content: [{ type: "text", text: "Hi" }] })).toBe("Hi");
    expect(examples.decodeResultExample({})).toBe("bad answer: result.content is missing");
    expect(examples.decodeMessageExample({ jsonrpc: "2.0", id: 3, method: "ping" })).toEqual({
      jsonrpc: "2.0",
      id: 3,
      result: {},
    });
    expect(examples.decodeMessageExample(7)).toMatchObject({ id: null, error: { code: INVALID_REQUEST } });
    expect(examples.decodeMessageExample({ jsonrpc: "2.0", id: 3, method: "no/such" })).toMatchObject({
      id: 3,
      error: { code: METHOD_NOT_FOUND },
    });
    expect(examples.decodeMessageExample({ jsonrpc: "2.0", method: "no/such" })).toBeUndefined();
    expect(examples.decodeMessageExample({ jsonrpc: "2.0", id: 3, result: 1 })).toBeUndefined();
  });
});
