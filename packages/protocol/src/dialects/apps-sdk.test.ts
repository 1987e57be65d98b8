/** Metadata of the ChatGPT Apps SDK, read as that of MCP Apps. */
import { describe, expect, it } from "vitest";
import { hasUi, isVisibleTo, readResourceUi, readToolUi } from "../metadata.js";
import { readUiDocument } from "../ui-document.js";
import { readInvocationTexts } from "./apps-sdk.js";

const TEMPLATE = "ui://widget/w.html";
const tool = (_meta: object) => ({ name: "show", _meta });

describe("the link of a tool", () => {
  it("is openai/outputTemplate where MCP Apps says nothing", () => {
    const { resourceUri, problems } = readToolUi(tool({ "openai/outputTemplate": TEMPLATE }));
    expect(resourceUri).toBe(TEMPLATE);
    expect(problems).toMatchObject([{ code: "resource-uri-apps-sdk", level: "warning" }]);
    expect(hasUi(tool({ "openai/outputTemplate": TEMPLATE }), TEMPLATE)).toBe(true);
  });

  it.each([{ ui: { resourceUri: "ui://ours" } }, { "ui/resourceUri": "ui://ours" }])(
    "is that of %j first",
    (ours) => {
      const both = tool({ ...ours, "openai/outputTemplate": TEMPLATE });
      expect(readToolUi(both).resourceUri).toBe("ui://ours");
      expect([hasUi(both, "ui://ours"), hasUi(both, TEMPLATE)]).toEqual([true, false]);
      // Servers have a document for each.
      expect(readToolUi(both).problems.map(({ code }) => code)).not.toContain("resource-uri-conflict");
    },
  );

  it("must be ui://", () => {
    const { resourceUri, problems } = readToolUi(tool({ "openai/outputTemplate": "https://evil.example/" }));
    expect(resourceUri).toBeUndefined();
    expect(problems.at(-1)).toMatchObject({ code: "resource-uri-invalid", level: "error" });
    expect(problems.at(-1)?.field).toBe('_meta["openai/outputTemplate"]');
  });
});

describe("the callers of a tool", () => {
  it.each([
    [{}, ["model", "app"]],
    [{ "openai/outputTemplate": TEMPLATE }, ["model"]],
    [{ "openai/outputTemplate": TEMPLATE, "openai/widgetAccessible": true }, ["model", "app"]],
    [{ "openai/outputTemplate": TEMPLATE, ui: { resourceUri: TEMPLATE } }, ["model", "app"]],
    [{ "openai/widgetAccessible": false }, ["model"]],
    [{ "openai/widgetAccessible": "yes" }, ["model", "app"]],
    [{ "openai/visibility": "private" }, ["app"]],
    [{ "openai/visibility": "public" }, ["model", "app"]],
    [{ "openai/visibility": "private", "openai/widgetAccessible": false }, []],
    [{ "openai/visibility": "private", ui: { resourceUri: TEMPLATE } }, ["app"]],
    [{ "openai/visibility": "private", ui: { visibility: ["model"] } }, ["model"]],
    [{ "openai/widgetAccessible": true, ui: { visibility: [] } }, []],
  ])("of %j are %j", (meta, callers) => {
    expect(readToolUi(tool(meta)).visibility).toEqual(callers);
    expect((["model", "app"] as const).filter((who) => isVisibleTo(tool(meta), who))).toEqual(callers);
  });
});

describe("the metadata of a resource", () => {
  const dialect = {
    "openai/widgetCSP": {
      connect_domains: ["https://api.example.com"],
      resource_domains: ["https://cdn.example.com"],
      frame_domains: ["https://maps.example.com"],
      redirect_domains: ["https://shop.example.com"],
    },
    "openai/widgetDomain": "shop",
    "openai/widgetPrefersBorder": true,
  };
  const csp = {
    connectDomains: ["https://api.example.com"],
    resourceDomains: ["https://cdn.example.com"],
    frameDomains: ["https://maps.example.com"],
  };

  it("becomes that of MCP Apps", () => {
    const { meta, from, problems } = readResourceUi({ content: { _meta: dialect } });
    expect({ meta, from, problems }).toEqual({
      meta: { csp, domain: "shop", prefersBorder: true },
      from: "content",
      problems: [],
    });
  });

  it("completes that of MCP Apps, and replaces none of it", () => {
    const ui = { csp: { connectDomains: [] }, permissions: { camera: {} }, prefersBorder: false };
    const { meta } = readResourceUi({ content: { _meta: { ...dialect, ui } } });
    expect(meta).toEqual({
      csp: { connectDomains: [] },
      permissions: { camera: {} },
      domain: "shop",
      prefersBorder: false,
    });
  });

  it("R04: that of the content wins as a whole", () => {
    const listing = { _meta: { ui: { csp: { connectDomains: ["https://listed.example.com"] } } } };
    const content = { _meta: { "openai/widgetPrefersBorder": true } };
    expect(readResourceUi({ content, listing })).toMatchObject({
      from: "content",
      meta: { prefersBorder: true },
    });
    expect(readResourceUi({ content, listing }).meta.csp).toBeUndefined();
  });

  it.each([
    [{ "openai/widgetCSP": "*" }, "csp-invalid"],
    [{ "openai/widgetCSP": { connect_domains: "*" } }, "csp-invalid"],
    [{ "openai/widgetDomain": 7 }, "domain-invalid"],
    [{ "openai/widgetPrefersBorder": "yes" }, "prefers-border-invalid"],
  ])("%j is reported, and grants nothing", (_meta, code) => {
    const { meta, problems } = readResourceUi({ content: { _meta } });
    expect(problems).toMatchObject([{ code }]);
    expect(Object.values(meta.csp ?? {})).toEqual([]);
  });
});

describe("a document", () => {
  const read = (item: object) =>
    readUiDocument({ contents: [{ uri: TEMPLATE, text: "<p>hi", ...item }] }, TEMPLATE);

  it.each([
    [{ mimeType: "text/html+skybridge" }, ["apps-sdk"]],
    [{ mimeType: "Text/HTML+Skybridge; charset=utf-8" }, ["apps-sdk"]],
    [{ mimeType: "text/html;profile=mcp-app" }, []],
    [{ mimeType: "text/html;profile=mcp-app", _meta: { "openai/widgetDescription": "A" } }, ["apps-sdk"]],
    [{ mimeType: "text/html;profile=mcp-app", _meta: { "mcpui.dev/ui-x": [] } }, ["mcp-ui"]],
  ])("%j speaks %j", (item, dialects) => {
    expect(read(item)).toMatchObject({ ok: true, dialects, problems: [] });
  });

  it.each(["text/html", "text/html+other", "text/plain", "application/text/html+skybridge"])(
    "B19: %s is refused",
    (mimeType) => {
      expect(read({ mimeType })).toMatchObject({ ok: false, code: "mime-type-wrong" });
    },
  );

  it("of MCP Apps is chosen where a server returns both", () => {
    const contents = [
      { uri: TEMPLATE, mimeType: "text/html+skybridge", text: "theirs" },
      { uri: TEMPLATE, mimeType: "text/html;profile=mcp-app", text: "ours" },
    ];
    expect(readUiDocument({ contents }, TEMPLATE)).toMatchObject({ html: "ours", dialects: [] });
  });
});

describe("the texts of a call", () => {
  it("are short, on one line, and show every character", () => {
    const texts = {
      "openai/toolInvocation/invoking": `a\n\u202eb\u00a0\u00a0c${"d".repeat(100)}`,
      "openai/toolInvocation/invoked": 7,
    };
    expect(readInvocationTexts(tool(texts))).toEqual({ invoking: `a b c${"d".repeat(59)}` });
    expect(readInvocationTexts(undefined)).toEqual({});
  });
});
