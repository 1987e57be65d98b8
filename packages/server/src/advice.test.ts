import { describe, expect, it } from "vitest";
import { adviceOn, adviseIn } from "./advice.js";
import type { ViewDefinition } from "./view.js";

const view = (csp?: ViewDefinition["csp"]): ViewDefinition => ({ name: "map", csp, source: { html: "" } });

const HTML = `<!doctype html>
<base href="https://base.example/">
<link rel="stylesheet" href="https://fonts.example/a.css"><link rel="canonical" href="https://nowhere.example/">
<script src="https://cdn.example/app.js"></script>
<img alt="x" src='https://cdn.example/b.png'><a href="https://link.example/">a link is the host's to open</a>
<style>b { background: url(https://img.example/c.png) }</style>
<iframe src="https://frame.example/"></iframe>
<script type="module">
import x from "https://esm.example/x.js";
fetch("https://api.example/v1"); new WebSocket('wss://live.example/socket'); request.open("GET", "https://old.example/");
const text = "https://words.example/ in a text is a text"; fetch(\`https://\${host}/\`);
</script>`;

describe("an undeclared origin in a document", () => {
  it("is reported with the line and what to write", () => {
    const found = adviceOn(view(), HTML);
    expect(found.map(({ field, origin, line }) => `${line} ${field} ${origin}`).sort()).toEqual([
      "10 connectDomains https://api.example",
      "10 connectDomains https://old.example",
      "10 connectDomains wss://live.example",
      "2 baseUriDomains https://base.example",
      "3 resourceDomains https://fonts.example",
      "4 resourceDomains https://cdn.example",
      "6 resourceDomains https://img.example",
      "7 frameDomains https://frame.example",
      "9 resourceDomains https://esm.example",
    ]);
    expect(found.find(({ field }) => field === "frameDomains")?.message).toBe(
      'the view map uses https://frame.example in line 7, but hosts will block it: add csp: { frameDomains: ["https://frame.example"] }',
    );
  });

  it("is reported in the terms of the metadata file", () => {
    const found = adviceOn(adviseIn(view(), "ui/map/ui.meta.json"), 'fetch("https://api.example/v1")');
    expect(found.map(({ message }) => message)).toEqual([
      'the view map uses https://api.example in line 1, but hosts will block it: add "meta": { "csp": { "connectDomains": ["https://api.example"] } } to ui/map/ui.meta.json',
    ]);
  });

  it.each([
    [["https://api.shop.example"], []],
    [["https://*.shop.example"], []],
    [["api.shop.example"], []],
    // No host accepts it.
    [["*"], ["https://api.shop.example"]],
    [["https://api.shop.example/v1"], ["https://api.shop.example"]],
    [["wss://api.shop.example"], ["https://api.shop.example"]],
    [["https://shop.example"], ["https://api.shop.example"]],
    [["https://api.shop.example:444"], ["https://api.shop.example"]],
  ])("is not one that %j allows", (connectDomains, origins) => {
    const found = adviceOn(view({ connectDomains }), 'fetch("https://api.shop.example/v1")');
    expect(found.map(({ origin }) => origin)).toEqual(origins);
  });

  it("is not found in a large text without any", () => {
    expect(adviceOn(view(), "<script src=".repeat(50_000))).toEqual([]);
  });
});
