import {
  getToolUiResourceUri,
  isToolVisibilityAppOnly,
  isToolVisibilityModelOnly,
} from "@modelcontextprotocol/ext-apps/app-bridge";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as examples from "./metadata.examples.js";
import {
  hasUi,
  isVisibleTo,
  RESOURCE_URI_META_KEY,
  readResourceUi,
  readToolUi,
  readUiLink,
} from "./metadata.js";
import { readUiDocument } from "./ui-document.js";
import { isUiMimeType, readUiCapability, UI_EXTENSION, UI_MIME_TYPE, uiExtension } from "./ui-extension.js";

const URI = "ui://server/view.html";
const OTHER = "ui://server/other.html";
const HTML = "<!doctype html><p>Gr\u00fc\u00dfe, \u4e16\u754c \u{1f389}</p>";
const codes = (problems: { code: string }[]) => problems.map(({ code }) => code);
const boom = () => {
  throw new Error("no");
};
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const throwing = (key: string) => Object.defineProperty({}, key, { get: boom, enumerable: true });
const hostile = () => [
  revoked(),
  throwing("_meta"),
  { _meta: revoked() },
  { _meta: throwing("ui") },
  { _meta: { ui: revoked() } },
  ...["resourceUri", "visibility", "csp", "permissions", "domain", "prefersBorder"].flatMap((key) => [
    { _meta: { ui: throwing(key) } },
    { _meta: { ui: { [key]: revoked() } } },
  ]),
  { _meta: { ui: { visibility: Object.defineProperty(["x"], 0, { get: boom }) } } },
  { _meta: { ui: new Proxy({}, { getOwnPropertyDescriptor: boom }) } },
];

describe("every location of the link: one bug, five products", () => {
  const nested = (uri: unknown) => ({ _meta: { ui: { resourceUri: uri } } });
  const flat = (uri: unknown) => ({ _meta: { [RESOURCE_URI_META_KEY]: uri } });
  const both = (one: unknown, two: unknown) => ({
    _meta: { ui: { resourceUri: one }, [RESOURCE_URI_META_KEY]: two },
  });

  it.each([
    ["R06 nested key on the tool", { tool: nested(URI) }, URI, "tool", []],
    ["R06 flat key on the tool", { tool: flat(URI) }, URI, "tool", ["resource-uri-legacy"]],
    ["R06 both, the same", { tool: both(URI, URI) }, URI, "tool", []],
    ["R06 both, nested wins", { tool: both(URI, OTHER) }, URI, "tool", ["resource-uri-conflict"]],
    [
      "R06 a wrong nested key still wins",
      { tool: both("https://x.example", URI) },
      undefined,
      "tool",
      ["resource-uri-conflict", "resource-uri-invalid"],
    ],
    ["R06 null is absent", { tool: both(null, URI) }, URI, "tool", ["resource-uri-legacy"]],
    [
      "nested key on the result",
      { tool: {}, result: nested(URI) },
      URI,
      "result",
      ["resource-uri-on-result"],
    ],
    [
      "flat key on the result",
      { result: flat(URI) },
      URI,
      "result",
      ["resource-uri-legacy", "resource-uri-on-result"],
    ],
    ["the tool wins over the result", { tool: nested(URI), result: nested(OTHER) }, URI, "tool", []],
    [
      "the tool's flat key wins over the result",
      { tool: flat(URI), result: nested(OTHER) },
      URI,
      "tool",
      ["resource-uri-legacy"],
    ],
    [
      "the result does not replace a tool's invalid link",
      { tool: nested("x"), result: nested(URI) },
      undefined,
      "tool",
      ["resource-uri-invalid"],
    ],
    [
      "C08 wrong link on the result",
      { result: nested("http://x") },
      undefined,
      "result",
      ["resource-uri-invalid", "resource-uri-on-result"],
    ],
    ["no carrier", { tool: { _meta: {} }, result: { content: [] } }, undefined, "none", []],
    ["nothing at all", {}, undefined, "none", []],
    ["not under _meta", { tool: { ui: { resourceUri: URI }, resourceUri: URI } }, undefined, "none", []],
  ] as const)("%s", (_, sources, resourceUri, from, problems) => {
    const link = readUiLink(sources);
    expect([link.resourceUri, link.from, codes(link.problems)]).toEqual([resourceUri, from, problems]);
  });
});

describe("hasUi", () => {
  const nested = (resourceUri: unknown) => ({ _meta: { ui: { resourceUri } } });
  const flat = (uri: unknown) => ({ _meta: { [RESOURCE_URI_META_KEY]: uri } });
  const both = { _meta: { ...nested(URI)._meta, ...flat(OTHER)._meta } };

  it("agrees with readToolUi for every location", () => {
    const tools = [
      {},
      nested(URI),
      nested(OTHER),
      nested("https://a.example"),
      flat(URI),
      both,
      ...hostile(),
    ];
    for (const tool of [...tools, nested(null), nested(1), flat("ui:x")])
      for (const uri of [URI, OTHER, "https://a.example", "ui:x"])
        expect(hasUi(tool, uri)).toBe(readToolUi(tool).resourceUri === uri);
    expect([hasUi(nested(URI), URI), hasUi(flat(URI), URI), hasUi(both, OTHER)]).toEqual([true, true, false]);
  });
});

describe("readToolUi", () => {
  it("R06 agrees with the official reader where that reads at all", () => {
    for (const _meta of [
      { ui: { resourceUri: URI } },
      { [RESOURCE_URI_META_KEY]: URI },
      { ui: { resourceUri: URI }, [RESOURCE_URI_META_KEY]: OTHER },
      {},
    ]) {
      expect(readToolUi({ _meta }).resourceUri).toBe(getToolUiResourceUri({ _meta }));
    }
  });

  it.each([
    "https://x.example",
    "mcp-app://x",
    "ui:x",
    "ui:/x",
    "ui://",
    "UI://x",
    " ui://x",
    "ui://a b",
    "ui://a\n",
    "",
    1,
    {},
    [URI],
    true,
  ])("R01 C08 %j is an error and no link", (resourceUri) => {
    const ui = readToolUi({ _meta: { ui: { resourceUri } } });
    expect(ui).not.toHaveProperty("resourceUri");
    expect(ui.problems).toMatchObject([
      {
        code: "resource-uri-invalid",
        level: "error",
        field: "_meta.ui.resourceUri",
        message: expect.stringContaining("ui://"),
      },
    ]);
  });

  it.each([
    [undefined, ["model", "app"], []],
    [null, ["model", "app"], []],
    [["model", "app"], ["model", "app"], []],
    [["app", "model", "app"], ["model", "app"], []],
    [["model"], ["model"], []],
    [["app"], ["app"], []],
    [[], [], []],
    [["model", "user"], ["model"], ["_meta.ui.visibility[1] error"]],
    [["MODEL"], [], ["_meta.ui.visibility[0] error"]],
    [[1, null], [], ["_meta.ui.visibility[0] error", "_meta.ui.visibility[1] error"]],
    ["app", ["app"], ["_meta.ui.visibility warning"]],
    ["all", [], ["_meta.ui.visibility error"]],
    [{ model: true }, [], ["_meta.ui.visibility error"]],
    [true, [], ["_meta.ui.visibility error"]],
  ] satisfies [unknown, string[], string[]][])(
    "R08 visibility %j means %j",
    (visibility, expected: string[], problems) => {
      const tool = { _meta: { ui: { visibility } } };
      const ui = readToolUi(tool);
      expect(ui.visibility).toEqual(expected);
      expect(ui.problems.map(({ field, level }) => `${field} ${level}`)).toEqual(problems);
      expect(codes(ui.problems).every((code) => code === "visibility-invalid")).toBe(true);
      expect(isVisibleTo(tool, "model")).toBe(expected.includes("model"));
      expect(isVisibleTo(tool, "app")).toBe(expected.includes("app"));
    },
  );

  it.each([[["model", "app"]], [["model"]], [["app"]], [[]]])(
    "C02 C03 agrees with the official helpers for %j",
    (visibility) => {
      const tool = { _meta: { ui: { visibility } } };
      expect(isVisibleTo(tool, "app") && !isVisibleTo(tool, "model")).toBe(isToolVisibilityAppOnly(tool));
      expect(isVisibleTo(tool, "model") && !isVisibleTo(tool, "app")).toBe(isToolVisibilityModelOnly(tool));
    },
  );

  it.each([undefined, null, 1, "tool", [], {}, { _meta: null }, { _meta: "x" }, { _meta: [] }])(
    "R08 %j is visible to both",
    (tool) => {
      expect(readToolUi(tool)).toEqual({ visibility: ["model", "app"], problems: [] });
    },
  );

  it("R09 warns of csp and permissions on a tool", () => {
    const { problems } = readToolUi({ _meta: { ui: { resourceUri: URI, csp: {}, permissions: {} } } });
    expect(problems).toMatchObject([
      { code: "csp-on-tool", level: "warning", field: "_meta.ui.csp" },
      { code: "permissions-on-tool", level: "warning", field: "_meta.ui.permissions" },
    ]);
  });

  it("reports _meta.ui that is not an object", () => {
    expect(codes(readToolUi({ _meta: { ui: URI } }).problems)).toEqual(["ui-meta-invalid"]);
  });

  it("reads own properties only", () => {
    expect(readToolUi({ _meta: { ui: Object.create({ resourceUri: URI, visibility: [] }) } })).toEqual({
      visibility: ["model", "app"],
      problems: [],
    });
  });

  it("R08 an unreadable visibility makes nothing visible", () => {
    expect(readToolUi({ _meta: { ui: throwing("visibility") } }).visibility).toEqual([]);
  });
});

describe("readResourceUi", () => {
  const full = {
    csp: {
      connectDomains: ["https://a.example"],
      resourceDomains: [],
      frameDomains: ["x"],
      baseUriDomains: ["y"],
    },
    permissions: { camera: {}, microphone: {}, geolocation: {}, clipboardWrite: {} },
    domain: "view.example",
    prefersBorder: false,
  };
  const carrier = (ui: unknown) => ({ uri: URI, _meta: { ui } });

  it.each([
    ["R04 content item", { content: carrier(full) }, full, "content"],
    [
      "R04 C05 list entry as the fallback",
      { content: { uri: URI }, listing: carrier(full) },
      full,
      "listing",
    ],
    [
      "R04 content wins as a whole",
      { content: carrier({ prefersBorder: true }), listing: carrier(full) },
      { prefersBorder: true },
      "content",
    ],
    ["R04 an empty content item wins too", { content: carrier({}), listing: carrier(full) }, {}, "content"],
    ["R04 null is absent", { content: carrier(null), listing: carrier(full) }, full, "listing"],
    [
      "R04 other _meta is no metadata",
      { content: { _meta: { x: 1 } }, listing: carrier(full) },
      full,
      "listing",
    ],
    ["neither", { content: {}, listing: undefined }, {}, "none"],
    ["nothing", {}, {}, "none"],
  ] as const)("%s", (_, sources, meta, from) => {
    expect(readResourceUi(sources)).toEqual({ meta, from, problems: [] });
  });

  it("R04 copies known keys only, and shares nothing with the input", () => {
    const ui = {
      ...structuredClone(full),
      extra: 1,
      csp: { ...full.csp, scriptDomains: ["*"] },
      permissions: { usb: {}, camera: { x: 1 } },
    };
    const { meta } = readResourceUi({ content: carrier(ui) });
    expect(meta).toEqual({ ...full, permissions: { camera: {} } });
    expect(meta.csp?.connectDomains).not.toBe(ui.csp.connectDomains);
    expect(
      readResourceUi({ content: carrier(JSON.parse('{"__proto__":{"domain":"x"}}')) }).meta.domain,
    ).toBeUndefined();
  });

  it.each([
    ["text", {}, ["ui-meta-invalid _meta.ui error"]],
    [[], {}, ["ui-meta-invalid _meta.ui error"]],
    [{ csp: "default-src *" }, {}, ["csp-invalid _meta.ui.csp error"]],
    [
      { csp: { connectDomains: "https://a.example" } },
      { csp: {} },
      ["csp-invalid _meta.ui.csp.connectDomains error"],
    ],
    [
      { csp: { connectDomains: ["a", 1, null] } },
      { csp: { connectDomains: ["a"] } },
      [
        "csp-invalid _meta.ui.csp.connectDomains[1] error",
        "csp-invalid _meta.ui.csp.connectDomains[2] error",
      ],
    ],
    [{ csp: null, permissions: null, domain: null, prefersBorder: null }, {}, []],
    [{ permissions: ["camera"] }, {}, ["permissions-invalid _meta.ui.permissions error"]],
    [
      { permissions: { camera: true, microphone: false, geolocation: "yes" } },
      { permissions: { camera: {} } },
      [
        "permission-invalid _meta.ui.permissions.camera warning",
        "permission-invalid _meta.ui.permissions.microphone warning",
        "permission-invalid _meta.ui.permissions.geolocation error",
      ],
    ],
    [{ domain: 1 }, {}, ["domain-invalid _meta.ui.domain error"]],
    [{ domain: "" }, {}, ["domain-invalid _meta.ui.domain error"]],
    [{ prefersBorder: "true" }, {}, ["prefers-border-invalid _meta.ui.prefersBorder error"]],
    [
      { prefersBorder: 1, domain: "x" },
      { domain: "x" },
      ["prefers-border-invalid _meta.ui.prefersBorder error"],
    ],
  ])("R04 C08 of %j only the valid parts are kept", (ui, meta, problems) => {
    const read = readResourceUi({ content: carrier(ui), listing: carrier(full) });
    expect(read.meta).toEqual(meta);
    expect(read.problems.map(({ code, field, level }) => `${code} ${field} ${level}`)).toEqual(problems);
  });
});

describe("readUiDocument", () => {
  const item = (fields: object) => ({ uri: URI, mimeType: UI_MIME_TYPE, ...fields });
  const read = (...contents: unknown[]) => readUiDocument({ contents }, URI);
  const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString("base64");

  it("R03 reads text", () => {
    expect(read(item({ text: HTML }))).toEqual({
      ok: true,
      html: HTML,
      uri: URI,
      meta: {},
      from: "none",
      dialects: [],
      problems: [],
    });
  });

  it("R03 D23 reads a blob as UTF-8, not as mojibake", () => {
    expect(read(item({ blob: base64(HTML) }))).toMatchObject({ ok: true, html: HTML });
    expect(read(item({ text: "", blob: base64(HTML) }))).toMatchObject({ ok: true, html: HTML });
  });

  it("R03 any document is the same in text and blob", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), (html) => {
        const [text, blob] = [read(item({ text: html })), read(item({ blob: base64(html) }))];
        expect(blob).toEqual(text);
      }),
      { numRuns: 200 },
    );
  });

  it("R03 drops a byte order mark", () => {
    expect(read(item({ text: `\uFEFF${HTML}` }))).toMatchObject({ html: HTML });
    expect(read(item({ blob: base64(`\uFEFF${HTML}`) }))).toMatchObject({ html: HTML });
  });

  it.each([
    ["not base64", { blob: "***" }, "base64-invalid"],
    ["truncated base64", { blob: "a" }, "base64-invalid"],
    ["Latin-1 bytes", { blob: base64(new Uint8Array([0x3c, 0xfc, 0x3e])) }, "utf8-invalid"],
    ["a cut UTF-8 sequence", { blob: base64(new Uint8Array([0xe4, 0xb8])) }, "utf8-invalid"],
    ["empty text", { text: "" }, "document-empty"],
    ["white space", { text: " \n" }, "document-empty"],
    ["only a byte order mark", { text: "\uFEFF" }, "document-empty"],
    ["empty blob", { blob: "" }, "document-empty"],
    ["neither", {}, "document-empty"],
    ["wrong types", { text: 1, blob: {} }, "document-empty"],
  ])("R03 %s is an error", (_, fields, code) => {
    expect(read(item(fields))).toMatchObject({ ok: false, code, message: expect.any(String) });
  });

  it.each([
    "text/html",
    "text/html;profile=other",
    "image/svg+xml",
    "text/plain;profile=mcp-app",
    "",
    undefined,
    null,
    1,
    { x: 1 },
  ])("R02 B19 refuses the MIME type %j", (mimeType) => {
    expect(read(item({ text: HTML, mimeType }))).toMatchObject({
      ok: false,
      code: "mime-type-wrong",
      message: expect.stringContaining(UI_MIME_TYPE),
    });
  });

  it("R02 tolerates other spellings of the MIME type, with a warning", () => {
    const document = read(item({ text: HTML, mimeType: 'Text/HTML; Profile="mcp-app"' }));
    expect(document).toMatchObject({ ok: true, problems: [{ code: "mime-type-inexact", level: "warning" }] });
  });

  it("takes the item with the URI, the matching one of several, or the only one", () => {
    const other = { ...item({ text: "other" }), uri: OTHER };
    expect(read(other, item({ text: HTML }))).toMatchObject({ html: HTML, problems: [] });
    expect(read(item({ text: "plain", mimeType: "text/plain" }), item({ text: HTML }))).toMatchObject({
      html: HTML,
    });
    expect(read(other)).toMatchObject({
      ok: true,
      html: "other",
      uri: URI,
      problems: [{ code: "uri-mismatch" }],
    });
    expect(read(other, other)).toMatchObject({ ok: false, code: "content-missing" });
  });

  it.each([undefined, null, {}, [], { contents: null }, { contents: {} }, { contents: [] }])(
    "C08 %j has no content",
    (result) => {
      expect(readUiDocument(result, URI)).toMatchObject({ ok: false, code: "content-missing" });
    },
  );

  it.each(["https://x.example", "mcp-app://x", "ui://"])("R01 C08 refuses the address %s", (uri) => {
    expect(readUiDocument({ contents: [item({ uri, text: HTML })] }, uri)).toMatchObject({
      ok: false,
      code: "uri-invalid",
    });
  });

  it("R04 C05 includes the metadata, with the list entry's as the fallback", () => {
    const listing = { _meta: { ui: { prefersBorder: true } } };
    const contents = [item({ text: HTML })];
    expect(readUiDocument({ contents }, URI, { listing })).toMatchObject({
      meta: { prefersBorder: true },
      from: "listing",
    });
    const own = [item({ text: HTML, _meta: { ui: { domain: "x" } } })];
    expect(readUiDocument({ contents: own }, URI, { listing })).toMatchObject({
      meta: { domain: "x" },
      from: "content",
    });
  });

  it("stops at maxBytes, counted in UTF-8", () => {
    const bytes = new TextEncoder().encode(HTML).length;
    for (const fields of [{ text: HTML }, { blob: base64(HTML) }]) {
      const contents = [item(fields)];
      expect(readUiDocument({ contents }, URI, { maxBytes: bytes })).toMatchObject({ ok: true });
      expect(readUiDocument({ contents }, URI, { maxBytes: bytes - 1 })).toMatchObject({
        ok: false,
        code: "document-too-large",
      });
      expect(readUiDocument({ contents }, URI, { maxBytes: 3 })).toMatchObject({
        ok: false,
        code: "document-too-large",
      });
    }
    const wrapped = base64(HTML).replace(/.{16}/g, "$&\r\n");
    expect(readUiDocument({ contents: [item({ blob: wrapped })] }, URI, { maxBytes: bytes })).toMatchObject({
      ok: true,
      html: HTML,
    });
  });
});

describe("isUiMimeType", () => {
  it.each([
    UI_MIME_TYPE,
    "text/html; profile=mcp-app",
    "TEXT/HTML ;PROFILE=mcp-app ",
    'text/html;profile="mcp-app"',
    "text/html;charset=utf-8;profile=mcp-app",
    'text/html;x="a;b";profile=mcp-app;y=1',
  ])("R02 %s is a UI MIME type", (mimeType) => {
    expect(isUiMimeType(mimeType)).toBe(true);
  });

  it.each([
    "text/html",
    "text/html;",
    "text/html;profile",
    "text/html;profile=",
    "text/html;profile=mcp-app2",
    "text/html;profile=xmcp-app",
    'text/html;profile="mcp-app',
    "text/html+profile=mcp-app",
    "text/html,profile=mcp-app",
    "text/html;profile=x;profile=mcp-app",
    'text/html;x="a;profile=mcp-app;b"',
    "xtext/html;profile=mcp-app",
    "text/html+skybridge",
    `${UI_MIME_TYPE};x=${"a".repeat(300)}`,
  ])("R02 %s is not a UI MIME type", (mimeType) => {
    expect(isUiMimeType(mimeType)).toBe(false);
  });
});

describe("capabilities", () => {
  const advertised = (extension: unknown) => ({ extensions: { [UI_EXTENSION]: extension } });

  it("C01 the extension is advertised with the MIME type", () => {
    expect({ extensions: uiExtension() }).toEqual({
      extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
    });
  });

  it.each([
    [undefined, "unknown", []],
    [null, "unknown", []],
    ["x", "unknown", []],
    [{}, "no", []],
    [{ extensions: {} }, "no", []],
    [{ extensions: null }, "no", []],
    [advertised(undefined), "no", []],
    [advertised(false), "no", []],
    [advertised({}), "yes", []],
    [advertised({ mimeTypes: null }), "yes", []],
    [advertised({ mimeTypes: [UI_MIME_TYPE] }), "yes", [UI_MIME_TYPE]],
    [advertised({ mimeTypes: ["text/html; profile=mcp-app"] }), "yes", ["text/html; profile=mcp-app"]],
    [advertised({ mimeTypes: ["text/html"] }), "no", ["text/html"]],
    [advertised({ mimeTypes: [] }), "no", []],
    [advertised({ mimeTypes: "text/html" }), "no", []],
    [advertised({ mimeTypes: [1, UI_MIME_TYPE] }), "yes", [UI_MIME_TYPE]],
    [{ extensions: uiExtension() }, "yes", [UI_MIME_TYPE]],
  ])("R11 %j means %s", (capabilities, support, mimeTypes) => {
    expect(readUiCapability(capabilities)).toEqual({ support, mimeTypes });
  });
});

describe("hostile input", () => {
  it("C08 getters that throw, revoked proxies and odd objects never throw out", () => {
    for (const value of hostile()) {
      expect(() => {
        readToolUi(value);
        isVisibleTo(value, "model");
        readUiLink({ tool: value, result: value });
        readResourceUi({ content: value, listing: value });
        readUiDocument(value, URI, { listing: value });
        readUiDocument({ contents: [value] }, URI);
        readUiDocument(
          {
            contents: [
              Object.assign(Object.create(null), {
                uri: URI,
                mimeType: UI_MIME_TYPE,
                text: HTML,
                _meta: value,
              }),
            ],
          },
          URI,
        );
        readUiCapability(value);
        readUiCapability({ extensions: { [UI_EXTENSION]: value } });
      }).not.toThrow();
    }
  });

  it("C08 nor does anything else, and problems are always well formed", () => {
    const ui = fc.dictionary(
      fc.constantFrom("resourceUri", "visibility", "csp", "permissions", "domain", "prefersBorder"),
      fc.anything(),
    );
    const carrier = fc.oneof(
      ui.map((ui) => ({ _meta: { ui } })),
      fc.anything(),
    );
    fc.assert(
      fc.property(carrier, carrier, (one, two) => {
        const problems = [
          ...readToolUi(one).problems,
          ...readUiLink({ tool: one, result: two }).problems,
          ...readResourceUi({ content: one, listing: two }).problems,
        ];
        for (const { code, message } of problems) {
          expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
          expect(message).not.toBe("");
        }
        readUiDocument({ contents: [one, two] }, URI);
        readUiCapability(one);
      }),
      { numRuns: 400 },
    );
  });
});

describe("examples", () => {
  it("behave as their comments say", () => {
    expect(examples.uiOfATool()).toEqual({
      resourceUri: "ui://shop/cart.html",
      visibility: ["app"],
      problems: [],
    });
    expect(examples.toolsForTheModel()).toEqual([{ name: "show" }]);
    expect(examples.uiOfACall()).toEqual({ resourceUri: "ui://shop/cart.html", from: "result" });
    expect(examples.metadataOfAResource()).toEqual({ meta: { prefersBorder: true }, from: "content" });
    expect(examples.documentOfAResource()).toContain("Cart");
    expect(examples.mimeTypes()).toEqual({ yes: true, no: false });
    expect(examples.statusTexts()).toBe("Searching…");
    expect(examples.uiInAResult()).toContain("Cart");
    expect(examples.supportOfAClient()).toBe("yes");
    expect(examples.advertise().extensions[UI_EXTENSION].mimeTypes).toEqual([UI_MIME_TYPE]);
  });
});
