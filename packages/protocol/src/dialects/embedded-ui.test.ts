/** UIs in results, as servers of mcp-ui send them. */
import { describe, expect, it } from "vitest";
import { readEmbeddedUi } from "./embedded-ui.js";

const URI = "ui://shop/cart";
const resultWith = (...resources: object[]) => ({
  content: [{ type: "text", text: "here" }, ...resources.map((resource) => ({ type: "resource", resource }))],
});
const read = (resource: object) => readEmbeddedUi(resultWith({ uri: URI, ...resource }));

describe("a UI in a result", () => {
  it.each([
    ["text/html", ["mcp-ui"]],
    ["Text/HTML; charset=utf-8", ["mcp-ui"]],
    ["text/html;profile=mcp-app", ["mcp-ui"]],
    ["text/html+skybridge", ["apps-sdk", "mcp-ui"]],
  ])("of %s is a document that speaks %j", (mimeType, dialects) => {
    expect(read({ mimeType, text: "<p>Cart" })).toEqual({
      uri: URI,
      document: expect.objectContaining({ ok: true, html: "<p>Cart", dialects, meta: {} }),
    });
  });

  it("may be base64, and declares its policy like any resource", () => {
    const ui = { csp: { connectDomains: ["https://a.example"] } };
    const found = read({ mimeType: "text/html", blob: btoa("<p>Cart"), _meta: { ui } });
    expect(found?.document).toMatchObject({ html: "<p>Cart", meta: ui });
  });

  it.each([
    [{ mimeType: "image/svg+xml", text: "<svg/>" }],
    [{ mimeType: "text/plain", text: "a" }],
    [{ text: "no type" }],
    [{ mimeType: "application/vnd.mcp-ui.remote-dom+javascript", text: "x" }],
    [{ mimeType: "text/html", text: "a", uri: "https://a.example/" }],
  ])("is not %j", (resource) => {
    expect(read(resource)).toBeUndefined();
  });

  it("is the first one", () => {
    const other = { uri: "file:///a", mimeType: "text/html", text: "a" };
    const second = { uri: "ui://b", mimeType: "text/html", text: "b" };
    const third = { uri: "ui://c", mimeType: "text/html", text: "c" };
    expect(readEmbeddedUi(resultWith(other, second, third))?.uri).toBe("ui://b");
    expect(readEmbeddedUi({ content: "none" })).toBeUndefined();
    expect(readEmbeddedUi(undefined)).toBeUndefined();
  });

  it("has a cause to show if it is empty or too large", () => {
    expect(read({ mimeType: "text/html", text: " " })?.document).toMatchObject({ code: "document-empty" });
    const large = resultWith({ uri: URI, mimeType: "text/html", text: "x".repeat(11) });
    expect(readEmbeddedUi(large, { maxBytes: 10 })?.document).toMatchObject({ code: "document-too-large" });
  });
});

describe("text/uri-list", () => {
  const list = (text: string, _meta?: object) => read({ mimeType: "text/uri-list", text, _meta })?.document;

  it("is a document with the first page in a frame, whose origin it declares", () => {
    const found = list("# comment\r\n\r\nhttps://a.example/x?y=1&z=%22\r\nhttps://b.example/");
    expect(found).toMatchObject({ ok: true, meta: { csp: { frameDomains: ["https://a.example"] } } });
    expect(found).toMatchObject({ html: expect.stringContaining('src="https://a.example/x?y=1&amp;z=%22"') });
  });

  it.each([{ text: "https://a.example/app" }, { blob: btoa(" https://a.example/app\n") }])(
    "may have the MIME type of a document: %j",
    (content) => {
      expect(read({ mimeType: "text/html;profile=mcp-app", ...content })?.document).toMatchObject({
        html: expect.stringContaining('src="https://a.example/app"'),
        meta: { csp: { frameDomains: ["https://a.example"] } },
      });
    },
  );

  it("keeps the declared policy, and takes the preferred height", () => {
    const csp = { frameDomains: ["https://b.example"] };
    const found = list("https://a.example/", {
      ui: { csp },
      "mcpui.dev/ui-preferred-frame-size": ["300px", "512px"],
    });
    expect(found).toMatchObject({
      meta: { csp: { frameDomains: ["https://b.example", "https://a.example"] } },
      html: expect.stringContaining("height:512px"),
    });
  });

  it.each([
    "",
    "# only a comment",
    "javascript:alert(1)",
    "data:text/html,a",
    "not an address",
    "file:///etc/passwd",
  ])("%j shows nothing", (text) => {
    expect(list(text)).toMatchObject({ ok: false, code: "document-empty" });
  });

  it.each(['https://a.example/"><script>alert(1)</script>', "https://a.example/' onload='x"])(
    "%j cannot leave the attribute",
    (text) => {
      const found = list(text);
      const page = found?.ok ? found.html : "";
      expect(page.match(/<\w+/g)).toEqual(["<title", "<style", "<iframe"]);
      expect(page).toMatch(/ src="[^"<>]+"><\/iframe>$/);
    },
  );
});
