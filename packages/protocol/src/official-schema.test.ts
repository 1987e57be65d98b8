/**
 * Our shapes and the official JSON Schema describe the same messages: each accepts the values that the other
 * generates. A real difference is a named exception, with a test that fails once the difference is gone.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc, { type Arbitrary } from "fast-check";
import { describe, expect, it } from "vitest";
import { appCapabilities, displayMode } from "./apps.js";
import { hostCapabilities, hostContext, hostStyles, theme } from "./hosts.js";
import { NOTIFICATION_SAMPLES, REQUEST_SAMPLES } from "./messages.examples.js";
import { decodeParams } from "./messages.js";
import { NOTIFICATIONS, type NotificationMethod, REQUESTS, type RequestMethod } from "./methods.js";
import { decode, isObject, object, type Shape, string } from "./schema.js";
import { STYLE_VARIABLES } from "./style-variables.js";
import {
  clientCapabilities,
  resourceCsp,
  resourceMeta,
  resourcePermissions,
  toolMeta,
  toolVisibility,
} from "./ui-meta.js";

/** The keywords that the official schema uses; any other makes the interpreter fail. */
interface JsonSchema {
  $schema?: string;
  $defs?: Record<string, JsonSchema>;
  $ref?: string;
  description?: string;
  default?: unknown;
  type?: "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | false;
  propertyNames?: JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  not?: JsonSchema;
  const?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  format?: string;
  pattern?: string;
}
const KEYWORDS = new Set([
  ...["$schema", "$defs", "$ref", "description", "default", "type", "properties", "required", "pattern"],
  ...["additionalProperties", "propertyNames", "items", "anyOf", "allOf", "not", "const", "enum", "minimum"],
  ...["maximum", "format"],
]);

const file = createRequire(import.meta.url).resolve("@modelcontextprotocol/ext-apps/schema.json");
const official = JSON.parse(readFileSync(file, "utf8")) as { $defs: Record<string, JsonSchema> };

const definition = (name: string): JsonSchema => {
  const found = official.$defs[name];
  if (!found) throw new Error(`schema.json has no ${name}`);
  return found;
};

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const compiled = new Map<string, (value: unknown) => boolean>();
/**
 * Whether the official schema accepts a value. Each definition is a separate document: see the exceptions.
 */
const officialTakes = (name: string, value: unknown): boolean => {
  let validate = compiled.get(name);
  if (!validate) compiled.set(name, (validate = ajv.compile(definition(name))));
  return validate(value);
};

type Side = { request: string; result?: string };
const REQUEST_NAMES: { [M in RequestMethod]?: Side } = {
  "ui/initialize": { request: "McpUiInitializeRequest", result: "McpUiInitializeResult" },
  "ui/open-link": { request: "McpUiOpenLinkRequest", result: "McpUiOpenLinkResult" },
  "ui/download-file": { request: "McpUiDownloadFileRequest", result: "McpUiDownloadFileResult" },
  "ui/message": { request: "McpUiMessageRequest", result: "McpUiMessageResult" },
  "ui/update-model-context": { request: "McpUiUpdateModelContextRequest" },
  "ui/request-display-mode": {
    request: "McpUiRequestDisplayModeRequest",
    result: "McpUiRequestDisplayModeResult",
  },
  "ui/resource-teardown": { request: "McpUiResourceTeardownRequest", result: "McpUiResourceTeardownResult" },
};
const NOTIFICATION_NAMES: { [M in NotificationMethod]?: string } = {
  "ui/notifications/initialized": "McpUiInitializedNotification",
  "ui/notifications/size-changed": "McpUiSizeChangedNotification",
  "ui/notifications/request-teardown": "McpUiRequestTeardownNotification",
  "ui/notifications/tool-input": "McpUiToolInputNotification",
  "ui/notifications/tool-input-partial": "McpUiToolInputPartialNotification",
  "ui/notifications/tool-result": "McpUiToolResultNotification",
  "ui/notifications/tool-cancelled": "McpUiToolCancelledNotification",
  "ui/notifications/host-context-changed": "McpUiHostContextChangedNotification",
  "ui/notifications/sandbox-proxy-ready": "McpUiSandboxProxyReadyNotification",
  "ui/notifications/sandbox-resource-ready": "McpUiSandboxResourceReadyNotification",
};
/** Not messages, but shapes that messages and metadata consist of. */
const SHAPES: Record<string, Shape> = {
  McpUiAppCapabilities: appCapabilities,
  McpUiClientCapabilities: clientCapabilities,
  McpUiDisplayMode: displayMode,
  McpUiHostCapabilities: hostCapabilities,
  McpUiHostContext: hostContext,
  McpUiHostCss: object({}, { fonts: string }),
  McpUiHostStyles: hostStyles,
  McpUiResourceCsp: resourceCsp,
  McpUiResourceMeta: resourceMeta,
  McpUiResourcePermissions: resourcePermissions,
  McpUiTheme: theme,
  McpUiToolMeta: toolMeta,
  McpUiToolVisibility: toolVisibility,
};

/** A definition that exists on both sides. */
interface Pair {
  name: string;
  ours: Shape;
  theirs: string;
  /** Wraps a value in the form that the official schema describes; undefined for the value itself. */
  method?: string;
  samples: readonly unknown[];
}
const PAIRS: Pair[] = [
  ...(Object.keys(REQUESTS) as RequestMethod[]).flatMap((method): Pair[] => {
    const names = REQUEST_NAMES[method];
    if (!names) return [];
    const { params, results } = REQUEST_SAMPLES[method];
    const asked = {
      name: method,
      ours: REQUESTS[method].params,
      theirs: names.request,
      method,
      samples: params,
    };
    if (!names.result) return [asked];
    const name = `the result of ${method}`;
    return [asked, { name, ours: REQUESTS[method].result, theirs: names.result, samples: results }];
  }),
  ...(Object.keys(NOTIFICATIONS) as NotificationMethod[]).flatMap((method): Pair[] => {
    const theirs = NOTIFICATION_NAMES[method];
    const samples = NOTIFICATION_SAMPLES[method];
    return theirs ? [{ name: method, ours: NOTIFICATIONS[method].params, theirs, method, samples }] : [];
  }),
  ...Object.entries(SHAPES).map(([theirs, ours]): Pair => ({ name: theirs, ours, theirs, samples: [] })),
];
/** The fields of a value that both sides know; for `reason`, D13, see the exceptions. */
const wrap = ({ method }: Pair, value: unknown): unknown => {
  if (method === undefined) return value;
  if (method !== "ui/resource-teardown" || !isObject(value)) return { method, params: value };
  const { reason, ...params } = value;
  return { method, params };
};

/**
 * Fields where ours accepts more than the official schema, on purpose or because the official one is wrong.
 * Values that both accept are generated instead.
 */
const NARROWED: Record<string, Arbitrary<unknown>> = {
  priority: fc.double({ min: 0, max: 1, noNaN: true }),
  lastModified: fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date("2100-01-01") })
    .map((date) => date.toISOString()),
  containerDimensions: fc.constant({}),
  variables: fc
    .array(fc.string({ maxLength: 5 }), {
      minLength: STYLE_VARIABLES.length,
      maxLength: STYLE_VARIABLES.length,
    })
    .map((values) => Object.fromEntries(STYLE_VARIABLES.map((name, index) => [name, values[index]]))),
};

const jsonValue = fc.jsonValue({ maxDepth: 2 });
const text = fc.string({ maxLength: 8 });

/** Values of one of our shapes. */
function fromOurs(schema: Shape): Arbitrary<unknown> {
  switch (schema.kind) {
    case "unknown":
      return jsonValue;
    case "string":
      return text;
    case "boolean":
      return fc.boolean();
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case "integer":
      return fc.maxSafeInteger();
    case "literal":
      return fc.constantFrom(...schema.values);
    case "array":
      return fc.array(fromOurs(schema.items), { maxLength: 3 });
    case "record":
      return fc.dictionary(text, fromOurs(schema.values), { maxKeys: 3 });
    case "union":
      return fc.oneof(...schema.options.map(fromOurs));
    case "object": {
      const fields = Object.entries({ ...schema.fields, ...schema.optional });
      const arbitraries = fields.map(([key, field]) => [key, NARROWED[key] ?? fromOurs(field)] as const);
      return fc.record(Object.fromEntries(arbitraries), { requiredKeys: Object.keys(schema.fields) });
    }
  }
}

/** Values of the official JSON Schema. `root` is the document that its references are in. */
function fromOfficial(schema: JsonSchema, root: JsonSchema, depth = 0): Arbitrary<unknown> {
  for (const keyword of Object.keys(schema)) {
    if (!KEYWORDS.has(keyword)) throw new Error(`the interpreter does not know the keyword ${keyword}`);
  }
  const inside = (inner: JsonSchema): Arbitrary<unknown> => fromOfficial(inner, root, depth + 1);
  if (schema.$ref) {
    const target = root.$defs?.[schema.$ref.replace("#/$defs/", "")];
    if (!target) throw new Error(`no ${schema.$ref}`);
    return depth > 12 ? fc.constant(null) : inside(target);
  }
  if (schema.allOf) throw new Error("allOf: only containerDimensions has it, an exception");
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(inside));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case undefined:
      return jsonValue;
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.maxSafeInteger();
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true, ...bounds(schema) });
    case "string":
      if (schema.pattern) throw new Error("pattern: only lastModified has one, an exception");
      return text;
    case "array":
      return fc.array(inside(schema.items ?? {}), { maxLength: 3 });
    case "object":
      return officialObject(schema, inside);
  }
}

const bounds = ({ minimum: min, maximum: max }: JsonSchema): { min?: number; max?: number } => ({
  ...(min === undefined ? {} : { min }),
  ...(max === undefined ? {} : { max }),
});

function officialObject(
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  inside: (schema: JsonSchema) => Arbitrary<unknown>,
): Arbitrary<unknown> {
  // `not: {}` is a field that must be absent.
  const fields = Object.entries(properties).filter(([, field]) => !field.not);
  const known = fc.record(
    Object.fromEntries(fields.map(([key, field]) => [key, NARROWED[key] ?? inside(field)])),
    { requiredKeys: required },
  );
  if (!additionalProperties) return known;
  const more = fc.dictionary(
    text.map((key) => `x-${key}`),
    inside(additionalProperties),
    { maxKeys: 2 },
  );
  return fc.tuple(more, known).map(([extra, own]) => ({ ...extra, ...own }));
}

fc.configureGlobal({ seed: 20260126 });
const numRuns = 60;

describe("the tables cover schema.json", () => {
  it("every definition of it has its counterpart here", () => {
    const covered = new Set(PAIRS.map(({ theirs }) => theirs));
    const parts = ["McpUiStyleVariableKey", "McpUiStyles", "McpUiSupportedContentBlockModalities"];
    expect(Object.keys(official.$defs).filter((name) => !covered.has(name))).toEqual(parts);
  });

  it("every `ui/` method of ours has an official definition", () => {
    const ours = [...Object.keys(REQUESTS), ...Object.keys(NOTIFICATIONS)].filter((name) =>
      name.startsWith("ui/"),
    );
    expect(ours.filter((name) => !(name in REQUEST_NAMES) && !(name in NOTIFICATION_NAMES))).toEqual([]);
  });
});

describe.each(PAIRS)("$name", (pair) => {
  it("the official schema accepts every sample of ours", () => {
    for (const sample of pair.samples) {
      expect([sample, officialTakes(pair.theirs, wrap(pair, JSON.parse(JSON.stringify(sample))))]).toEqual([
        sample,
        true,
      ]);
    }
  });

  it("the official schema accepts the values of our shape", () => {
    fc.assert(
      fc.property(fromOurs(pair.ours), (value) => officialTakes(pair.theirs, wrap(pair, value))),
      { numRuns },
    );
  });

  it("our shape accepts, strictly, the values of the official schema", () => {
    const root = definition(pair.theirs);
    fc.assert(
      fc.property(fromOfficial(root, root), (value) => {
        // The generator must be right before it can prove anything.
        expect(officialTakes(pair.theirs, value)).toBe(true);
        if (pair.method === undefined) {
          expect(decode(pair.ours, value)).toEqual({ ok: true, value });
          return;
        }
        const { params } = isObject(value) ? value : {};
        const decoded = decodeParams(pair.method as RequestMethod, params, { strict: true });
        expect(decoded).toEqual({ ok: true, value: params ?? {} });
      }),
      { numRuns },
    );
  });
});

describe("named exceptions: the official schema is wrong", () => {
  const context = (part: object): unknown => part;

  it("containerDimensions: `allOf` of two closed objects takes no size at all, only {}", () => {
    for (const size of [
      { height: 1 },
      { maxHeight: 1 },
      { height: 1, width: 1 },
      { maxHeight: 1, maxWidth: 1 },
    ]) {
      const value = context({ containerDimensions: size });
      expect(officialTakes("McpUiHostContext", value)).toBe(false);
      expect(decode(hostContext, value).ok).toBe(true);
    }
    expect(officialTakes("McpUiHostContext", { containerDimensions: {} })).toBe(true);
  });

  it("styles.variables: all 76 are required, though the types let any be left out", () => {
    const value = context({ styles: { variables: { "--color-text-primary": "#000" } } });
    expect(officialTakes("McpUiHostContext", value)).toBe(false);
    expect(decode(hostContext, value).ok).toBe(true);
    expect(definition("McpUiStyles").required).toHaveLength(STYLE_VARIABLES.length);
  });

  it("styles.variables: `string | undefined` was exported as anything at all; ours wants a string", () => {
    const variables = Object.fromEntries(STYLE_VARIABLES.map((name) => [name, 5]));
    expect(officialTakes("McpUiStyles", variables)).toBe(true);
    expect(decode(hostStyles, { variables }).ok).toBe(false);
  });

  it("references to `#/$defs/__schema0` do not resolve in the document that they are in", () => {
    const whole = new Ajv2020({ strict: false, validateFormats: false });
    whole.addSchema(official, "official");
    expect(() => whole.compile({ $ref: "official#/$defs/McpUiHostContext" })).toThrow(
      /can't resolve reference/,
    );
  });

  it("params of ui/ requests are closed: a progress token in _meta, which MCP allows on any, is refused", () => {
    const params = { url: "https://example.com", _meta: { progressToken: 1 } };
    expect(officialTakes("McpUiOpenLinkRequest", { method: "ui/open-link", params })).toBe(false);
    expect(decodeParams("ui/open-link", params, { strict: true }).ok).toBe(true);
  });
});

describe("named exceptions: ours accepts more, and passes it on unread", () => {
  it("D13: ui/resource-teardown has a reason, as the spec's text says; the official schema has none", () => {
    const message = { method: "ui/resource-teardown", params: { reason: "The conversation was closed" } };
    expect(officialTakes("McpUiResourceTeardownRequest", message)).toBe(false);
    expect(decodeParams("ui/resource-teardown", message.params, { strict: true }).ok).toBe(true);
  });

  const block = (annotations: object): unknown => ({ content: [{ type: "text", text: "", annotations }] });
  const both = (value: unknown): boolean[] => [
    officialTakes("McpUiToolResultNotification", { method: "ui/notifications/tool-result", params: value }),
    decodeParams("ui/notifications/tool-result", value, { strict: true }).ok,
  ];

  it.each([
    ["annotations.priority outside 0 to 1", block({ priority: 5 })],
    ["annotations.lastModified that is no date", block({ lastModified: "yesterday" })],
    [
      "_meta with a malformed serverInfo",
      { content: [], _meta: { "io.modelcontextprotocol/serverInfo": 1 } },
    ],
  ])("%s", (_name, value) => {
    expect(both(value)).toEqual([false, true]);
  });

  it.each([
    ["inputSchema.properties that is no object", { inputSchema: { type: "object", properties: 1 } }],
    ["inputSchema.required that is no list", { inputSchema: { type: "object", required: "a" } }],
    [
      "outputSchema.$schema that is no text",
      { inputSchema: { type: "object" }, outputSchema: { $schema: 1 } },
    ],
  ])("%s", (_name, fields) => {
    const value = { toolInfo: { tool: { name: "x", ...fields } } };
    expect(officialTakes("McpUiHostContext", value)).toBe(false);
    expect(decode(hostContext, value).ok).toBe(true);
  });

  it("a field that the official schema does not know", () => {
    const value = { mimeTypes: [], later: 1 };
    expect(officialTakes("McpUiClientCapabilities", value)).toBe(false);
    expect(decode(clientCapabilities, value).ok).toBe(true);
  });
});
