import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readLink } from "./link-policy.js";
import * as examples from "./links/guard.examples.js";

describe("readLink", () => {
  it.each([
    ["https://example.com", "https://example.com/", "example.com"],
    ["HTTPS://EXAMPLE.COM/A?b#c", "https://example.com/A?b#c", "example.com"],
    ["http://localhost:8080/x", "http://localhost:8080/x", "localhost:8080"],
    ["https://example.com:443/", "https://example.com/", "example.com"],
    ["https://example.com/a b", "https://example.com/a%20b", "example.com"],
    ["https://[::1]:3000/", "https://[::1]:3000/", "[::1]:3000"],
    ["https://2130706433/", "https://127.0.0.1/", "127.0.0.1"],
    ["https://example.com/@user", "https://example.com/@user", "example.com"],
    ["https://example.com/?q=a\\b", "https://example.com/?q=a\\b", "example.com"],
    [
      "https://example.com\u3002evil.example/",
      "https://example.com.evil.example/",
      "example.com.evil.example",
    ],
  ])("I04: %s is opened as %s, and shows %s", (text, url, host) => {
    expect(readLink(text)).toEqual({ ok: true, url, host, display: host });
  });

  it.each([
    ["mailto:a@example.com", "a@example.com"],
    ["mailto:a@example.com,b@example.com?subject=Hi&body=x%0D%0Ay", "a@example.com,b@example.com"],
    [
      "mailto:a@example.com?cc=spy@evil.example&BCC=two@evil.example",
      "a@example.com, spy@evil.example, two@evil.example",
    ],
    ["mailto:?subject=Share", "mailto:"],
  ])("I04: %s shows all recipients", (text, display) => {
    expect(readLink(text)).toMatchObject({ ok: true, display });
  });

  it.each([
    ["javascript:alert(1)", "link-scheme"],
    ["JaVaScRiPt:alert(1)", "link-scheme"],
    ["java\nscript:alert(1)", "link-scheme"],
    [" javascript:alert(1)", "link-scheme"],
    ["data:text/html,x", "link-scheme"],
    ["file:///etc/passwd", "link-scheme"],
    ["vscode://file/x", "link-scheme"],
    ["ms-msdt:/id", "link-scheme"],
    ["blob:https://example.com/1", "link-scheme"],
    ["ftp://example.com", "link-scheme"],
    ["about:blank", "link-scheme"],
    ["//host", "link-scheme"],
    ["/path", "link-scheme"],
    ["https:example.com", "link-scheme"],
    ["https:///example.com", "link-scheme"],
    ["https:\\\\example.com", "link-scheme"],
    ["", "link-scheme"],
    ["http://user@host", "link-credentials"],
    ["https://google.com@evil.example/", "link-credentials"],
    ["https://:pw@host/", "link-credentials"],
    ["https://@host/", "link-credentials"],
    ["https://a%40b:c@host/", "link-credentials"],
    [`https://example.com/${"a".repeat(100_000)}`, "link-too-long"],
    ["https://exam\tple.com", "link-malformed"],
    ["https://example.com/\n", "link-malformed"],
    ["https://example.com/\u0000", "link-malformed"],
    ["https://example.com/\u202Egnp.exe", "link-malformed"],
    ["https://example.com\\@evil.example", "link-malformed"],
    ["https://exa mple.com", "link-malformed"],
    ["https://", "link-scheme"],
    ["https://%zz", "link-malformed"],
    ["https://?", "link-malformed"],
    ["mailto:a@example.com?attach=/etc/passwd", "link-mail-field"],
    ["mailto:a%0Ab@example.com", "link-malformed"],
    ["mailto:%zz", "link-malformed"],
    ["mailto://a@example.com", "link-scheme"],
    [undefined, "link-malformed"],
    [["https://example.com"], "link-malformed"],
  ])("attack C14, D17: %j is refused", (text, code) => {
    expect(readLink(text)).toMatchObject({ ok: false, code, message: expect.stringMatching(/\w/) });
  });

  it.each([
    ["https://аррӏе.com/", "xn--80ak6aa92e.com (аррӏе.com)"],
    ["https://xn--80ak6aa92e.com:8443/", "xn--80ak6aa92e.com:8443 (аррӏе.com:8443)"],
    ["https://bücher.example", "xn--bcher-kva.example (bücher.example)"],
    ["https://www.xn--fiq228c.xn--fiqs8s/", "www.xn--fiq228c.xn--fiqs8s (www.中文.中国)"],
    ["https://☃.net", "xn--n3h.net (☃.net)"],
    ["https://a.xn--bcher-kva.xn--p1ai/", "a.xn--bcher-kva.xn--p1ai (a.bücher.рф)"],
  ])("attack C14: %s shows the host in both forms", (text, display) => {
    expect(readLink(text)).toMatchObject({ ok: true, display });
  });

  it("attack C14: a host with a misleading name is shown in its real form only", () => {
    expect(examples.readLinkExample()).toBe("Open xn--80ak6aa92e.com (аррӏе.com)?");
    for (const host of ["xn--a", "xn--0", "xn--999999999", "xn---", "xn--a-"]) {
      const link = readLink(`https://${host}.example/`);
      if (link.ok) expect(link.display).toBe(`${host}.example`);
    }
  });

  it("attack C14: reads every host that the URL parser can write", () => {
    const letters = fc.string({ unit: fc.constantFrom(..."aβüж中文日한é-0"), minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(letters, (label) => {
        const link = readLink(`https://${label}.example/`);
        if (!link.ok || !link.host.includes("xn--")) return;
        expect(link.display).toMatch(/^xn--\S+ \(\S+\)$/);
        const [, readable = ""] = /\((.*)\)/.exec(link.display) ?? [];
        expect(new URL(`https://${readable}`).host).toBe(link.host);
      }),
    );
  });

  it("attack C14: never throws, and never lets anything but http, https and mailto through", () => {
    const nasty = fc
      .array(
        fc.constantFrom(
          "http",
          "s",
          ":",
          "/",
          "//",
          "\\",
          "@",
          "a",
          ".",
          "\t",
          "javascript",
          "%",
          "?",
          "#",
          "[",
          "xn--",
          "mailto:",
        ),
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(nasty, fc.string(), fc.webUrl(), fc.anything()), (text) => {
        const link = readLink(text);
        if (!link.ok) return;
        const url = new URL(link.url);
        expect(["http:", "https:", "mailto:"]).toContain(url.protocol);
        expect(url.username + url.password).toBe("");
        if (url.protocol !== "mailto:") expect(link.host).toBe(url.host);
        // The opened link equals the shown one, however often it is read.
        expect(readLink(link.url)).toEqual(link);
      }),
      { numRuns: 2000 },
    );
  });
});
