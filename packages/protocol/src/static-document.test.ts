import { describe, expect, it } from "vitest";
import { isStaticDocument } from "./static-document.js";

describe("a document is static", () => {
  it.each([
    "<!doctype html><h1>Report</h1><p>Money &amp; time on hand = 5",
    "<style>p { color: red }</style><p>x</p><svg><circle r='5'/></svg>",
    '<a href="https://example.com">a link</a>',
  ])("if nothing in it can run: %s", (html) => {
    expect(isStaticDocument(html)).toBe(true);
  });

  it.each([
    "<script>app()</script>",
    "<SCRIPT src=x></SCRIPT>",
    "<svg><script/></svg>",
    "<svg/onload=start()>",
    '<body onload="start()">',
    "<img src=x\nonerror = start()>",
    '<a href="javascript:start()">go</a>',
    "<iframe srcdoc=x></iframe>",
    '<meta http-equiv="refresh" content="0">',
  ])("and not if something can: %s", (html) => {
    expect(isStaticDocument(html)).toBe(false);
  });
});
