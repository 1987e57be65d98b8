import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fileName, readDownload } from "./download.js";
import * as examples from "./links/guard.examples.js";

const named = (name: string) => fileName({ type: "resource_link", uri: "x:", name });
const file = (resource: object) => ({ type: "resource", resource: { uri: "file:///a.txt", ...resource } });
const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("readDownload", () => {
  it("I10: text becomes UTF-8, and a blob stays the bytes it is", () => {
    const text = "Grüße, 世界 🎉";
    const result = readDownload([file({ text }), file({ blob: base64(text), mimeType: "text/plain" })]);
    if (!result.ok) throw new Error(result.message);
    const texts = result.files.map((one) => "bytes" in one && new TextDecoder().decode(one.bytes));
    expect(texts).toEqual([text, text]);
    expect(result.files.map(({ mimeType }) => mimeType)).toEqual(["application/octet-stream", "text/plain"]);
    expect(result.files.map(({ name }) => name)).toEqual(["a.txt", "a.txt"]);
    const binary = readDownload([file({ blob: "/wD+" })]);
    expect(binary).toMatchObject({ files: [{ bytes: new Uint8Array([255, 0, 254]) }] });
  });

  it("I10: a link is a URI for the view's own server, and nothing else", () => {
    const link = {
      type: "resource_link",
      uri: "report://7",
      name: "../report.pdf",
      mimeType: "application/pdf",
    };
    expect(readDownload([link])).toEqual({
      ok: true,
      files: [{ name: "report.pdf", mimeType: "application/pdf", executable: false, uri: "report://7" }],
    });
  });

  it.each([
    ["nothing", [], "download-empty"],
    ["no list", "x", "download-malformed"],
    ["undefined", undefined, "download-malformed"],
    ["another block", [{ type: "text", text: "x" }], "download-malformed"],
    ["no content", [{ type: "resource", resource: { uri: "x:" } }], "download-malformed"],
    ["a number", [file({ text: 1 })], "download-malformed"],
    ["bad base64", [file({ blob: "a*b" })], "base64-invalid"],
    ["bad length", [file({ blob: "abcde" })], "base64-invalid"],
    ["too many", Array.from({ length: 21 }, () => file({ text: "" })), "download-too-large"],
  ])("I10: %s is an error with a code", (_what, contents, code) => {
    expect(readDownload(contents)).toMatchObject({ ok: false, code });
  });

  it("I10: the limit is on all files together, in bytes", () => {
    const limit = { maxBytes: 10 };
    expect(readDownload([file({ text: "x".repeat(10) })], limit).ok).toBe(true);
    expect(readDownload([file({ blob: base64("x".repeat(10)) })], limit).ok).toBe(true);
    for (const contents of [
      [file({ text: "x".repeat(11) })],
      [file({ text: "世".repeat(4) })],
      [file({ blob: base64("x".repeat(11)) })],
      [file({ blob: "a".repeat(1000) })],
      [file({ text: "x".repeat(6) }), file({ blob: base64("x".repeat(5)) })],
    ]) {
      expect(readDownload(contents, limit)).toMatchObject({ code: "download-too-large" });
    }
  });

  it("I10: never throws", () => {
    const hostile = new Proxy([], {
      get() {
        throw new Error("no");
      },
    });
    expect(readDownload(hostile).ok).toBe(false);
    let reads = 0;
    const turncoat = {
      get text() {
        if (reads++ > 0) throw new Error("no");
        return "";
      },
      uri: "x:",
    };
    expect(readDownload([{ type: "resource", resource: turncoat }]).ok).toBe(false);
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(readDownload(value)).toHaveProperty("ok");
        expect(readDownload([value])).toHaveProperty("ok");
      }),
    );
    expect(examples.readDownloadExample()).toEqual(["report.csv"]);
  });
});

describe("fileName", () => {
  it.each([
    ["report.pdf", "report.pdf"],
    ["Ärger über 世界.txt", "Ärger über 世界.txt"],
    ["archive.tar.gz", "archive.tar.gz"],
    [`readme.pdf${"\u2800\u3164\u00a0".repeat(99)}.desktop`, "readme_pdf .desktop"],
    ["../../etc/passwd", "passwd"],
    ["..\\..\\windows\\x.ini", "x.ini"],
    ["/etc/passwd", "passwd"],
    ["C:\\x.txt", "x.txt"],
    ["C:x.txt", "C_x.txt"],
    ["a/b/..", "b"],
    ["dir/", "dir"],
    [".bashrc", "bashrc"],
    ["a\u0000b\nc.txt", "abc.txt"],
    ["file.txt...", "file.txt"],
    ["file.txt . .", "file.txt"],
    ["x.txt:stream", "x.txt_stream"],
    ['<a>|"b"?*.txt', "_a___b___.txt"],
    ["con", "_con"],
    ["NUL.txt", "_NUL.txt"],
    ["com1.log", "_com1.log"],
    ["LPT¹", "_LPT¹"],
    ["aux .txt", "_aux .txt"],
    ["console.txt", "console.txt"],
    ["CONIN$", "_CONIN$"],
    ["", "download"],
    ["..", "download"],
    ["/", "download"],
    [" . ", "download"],
    ["\u202E\u200B", "download"],
    ["e\u0301.txt", "é.txt"],
    ["\ud800.txt", "txt"],
  ])("I10: %j is saved as %j", (name, safe) => {
    expect(named(name)).toBe(safe);
  });

  it.each([
    ["x.pdf\u202Eexe", "x.pdfexe"],
    ["x\u202Efdp.exe", "xfdp.exe"],
    ["invoice.pdf.exe", "invoice_pdf.exe"],
    ["invoice.pdf                               .exe", "invoice_pdf .exe"],
    ["invoice.pdf\u00a0\u2003\u3000.scr", "invoice_pdf .scr"],
    ["a.exe.", "a.exe"],
    ["a.e\u200Bxe", "a.exe"],
    [`${"a".repeat(300)}.pdf.exe`, `${"a".repeat(236)}.exe`],
  ])("I10: %j hides no program: %j", (name, safe) => {
    expect(named(name)).toBe(safe);
  });

  it("I10: a program is marked as one", () => {
    const executable = (name: string) => {
      const result = readDownload([{ type: "resource_link", uri: "x:", name }]);
      return result.ok && result.files[0]?.executable;
    };
    expect(["a.EXE", "b.js", "c.desktop", "d.command"].map(executable)).toEqual([true, true, true, true]);
    expect(["a.pdf", "exe", "b.json", "c.csv"].map(executable)).toEqual([false, false, false, false]);
    expect(examples.fileNameExample()).toBe("invoice_pdf.exe");
    expect(examples.warnedNameExample()).toBe("invoice_pdf.exe (a program: it runs when it is opened)");
  });

  it.each([
    [{ resource: { uri: "file:///exports/r%C3%A9sum%C3%A9.pdf?v=1#p" } }, "résumé.pdf"],
    [{ resource: { uri: "file:///%2e%2e%2fx.txt" } }, "x.txt"],
    [{ resource: { uri: "x://%zz.txt" } }, "%zz.txt"],
    [{ uri: "video://42", name: "" }, "42"],
    [{}, "download"],
    [null, "download"],
  ])("I10: without a name, the end of the URI is one: %j", (block, name) => {
    expect(fileName(block)).toBe(name);
  });

  it("I10: every name is safe, and stays what it is when made safe again", () => {
    const nasty = fc
      .array(
        fc.constantFrom(
          "..",
          "/",
          "\\",
          ".",
          " ",
          "\u202E",
          "\u0000",
          "con",
          "nul",
          ".exe",
          ".pdf",
          "a",
          "世",
          "🎉",
          ":",
          "\ud83d",
        ),
        {
          maxLength: 200,
        },
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(nasty, fc.string({ unit: "binary" })), (text) => {
        const name = named(text);
        expect(name).not.toBe("");
        expect(name).not.toMatch(/[/\\<>:"|?*\p{C}]|^[. ]|[. ]$/u);
        expect(name).not.toMatch(/^(con|prn|aux|nul)(\.|$)/i);
        expect(name).not.toMatch(/\..*\.exe$/i);
        expect(new TextEncoder().encode(name).length).toBeLessThanOrEqual(240);
        expect(named(name)).toBe(name);
      }),
      { numRuns: 2000 },
    );
  });
});
