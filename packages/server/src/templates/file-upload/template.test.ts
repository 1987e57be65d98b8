import { fileUpload, renderTemplate } from "@vitrine/server/templates";
import { describe, expect, it } from "vitest";
import { type FileLimits, limitsInWords, limitsOf, refusalOf, sizeInWords } from "./limits.js";

const inEnglish = (value: number, options?: Intl.NumberFormatOptions) =>
  new Intl.NumberFormat("en", options).format(value);
const written = (bytes: number) => sizeInWords(bytes, inEnglish);
const file = (name: string, size = 1, type = "") => ({ name, size, type });
const refusal = (one: ReturnType<typeof file>, limits: FileLimits, ...others: ReturnType<typeof file>[]) =>
  refusalOf(one, others, limitsOf(limits), written);

describe("the upload as text", () => {
  it.each([undefined, null, {}])("describes the accepted files: %j", (data) => {
    const config = {
      title: "Receipts",
      description: "Of your trip.",
      accept: [".pdf", "image/*"],
      maxFiles: 2,
    };
    expect(fileUpload.text?.(data, config)).toBe(
      "Receipts\n\nOf your trip.\n\nWaiting for files. Up to 2 files, 5.2 MB each, 7.3 MB in all: .pdf, image files.",
    );
  });

  it.each<[FileLimits, string]>([
    [{}, "Up to 100 files, 5.2 MB each, 7.3 MB in all"],
    [{ each: true }, "Up to 100 files, 5.2 MB each"],
    [{ each: true, maxTotalBytes: 9e6 }, "Up to 100 files, 5.2 MB each, 9 MB in all"],
    [{ multiple: false, maxFiles: 9, accept: ["text/csv"] }, "One file, up to 5.2 MB: text/csv"],
    // A single file cannot exceed the total limit either.
    [{ maxBytes: 5000, maxTotalBytes: 2000 }, "Up to 100 files, 2 kB each, 2 kB in all"],
  ])("describes its limits: %j", (limits, words) => {
    expect(limitsInWords(limitsOf(limits), inEnglish)).toBe(words);
  });

  it("says that only text is accepted", () => {
    expect(fileUpload.text?.({}, { encoding: "text", multiple: false })).toMatch(
      /One file, up to 5\.2 MB; text \(UTF-8\) only\.$/,
    );
  });

  it.each([
    [{ saved: 2 }, "- saved: 2"],
    ["Saved.", "Saved."],
    [[{ name: "a.csv" }], "| name |\n| --- |\n| a.csv |"],
  ])("shows the tool's data: %j", (data, text) => {
    expect(fileUpload.text?.(data, {})).toBe(text);
  });
});

describe("a size", () => {
  it.each([
    [1, "1 byte"],
    [999, "999 bytes"],
    [1000, "1 kB"],
    [1_049, "1 kB"],
    [1_550_000, "1.6 MB"],
    [2_000_000_000, "2,000 MB"],
  ])("of %i bytes is %s", (bytes, words) => {
    expect(written(bytes)).toBe(words);
  });
});

describe("a file", () => {
  it.each([
    ["a.csv", "", [".csv"], true],
    ["A.CSV", "", [".csv"], true],
    ["a.csv", "", [".CSV"], true],
    ["a.csv.exe", "", [".csv"], false],
    ["acsv", "", [".csv"], false],
    ["a", "image/png", ["image/*"], true],
    ["a", "imagery/png", ["image/*"], false],
    ["a", "", ["image/*"], false],
    ["a", "text/csv", ["image/*", "text/csv"], true],
    ["a", "text/csv+x", ["text/csv"], false],
    ["a", "text/csv", ["TEXT/CSV"], true],
    ["a", "anything", [], true],
  ])("%s of type %j: accepted by %j? %s", (name, type, accept, isAccepted) => {
    expect(refusal(file(name, 1, type), { accept })).toBe(
      isAccepted ? undefined : `is none of ${accept.join(", ").replace("/*", " files")}.`,
    );
  });

  it("is refused if it is empty, too large, one too many, or exceeds the total", () => {
    expect(refusal(file("a", 0), {})).toBe("is empty.");
    expect(refusal(file("a", 5_242_880), {})).toBeUndefined();
    expect(refusal(file("a", 5_242_881), {})).toBe("is too large: 5.2 MB of 5.2 MB at most.");
    expect(refusal(file("a"), { maxFiles: 2 }, file("b"))).toBeUndefined();
    expect(refusal(file("a"), { maxFiles: 2 }, file("b"), file("c"))).toBe("is one too many.");
    expect(refusal(file("a"), { multiple: false }, file("b"))).toBe("is one too many.");
    expect(refusal(file("a", 500), { maxTotalBytes: 1000 }, file("b", 500))).toBeUndefined();
    expect(refusal(file("a", 501), { maxTotalBytes: 1000 }, file("b", 500))).toBe(
      "is too much: 1 kB in all at most.",
    );
  });
});

describe("the upload's document", () => {
  it("has 20,000 bytes at most", () => {
    const config = { title: "Receipts", accept: [".pdf", "image/*"], submitTool: "save-receipts" };
    expect(Buffer.byteLength(renderTemplate(fileUpload, config))).toBeLessThanOrEqual(20_000);
  });

  it.each([
    [{ accept: ["csv"] }, "config.accept[0] must match"],
    [{ accept: [".csv,.tsv"] }, "config.accept[0] must match"],
    [{ accept: ["*/*"] }, "config.accept[0] must match"],
    [{ accept: ".csv" }, "config.accept must be an array"],
    [{ maxFiles: 0 }, "config.maxFiles must be 1 or more"],
    [{ maxByte: 5 }, 'config has an unknown field "maxByte" (did you mean maxBytes?)'],
    [{ encoding: "hex" }, 'config.encoding must be one of "base64", "text"'],
  ])("is refused for %j", (config, message) => {
    expect(() => renderTemplate(fileUpload, config as never)).toThrow(`file-upload: ${message}`);
  });

  it("accepts all kinds of types", () => {
    const accept = [".csv", ".tar.gz", "text/csv", "image/*", "application/vnd.ms-excel", "image/svg+xml"];
    expect(() => renderTemplate(fileUpload, { accept })).not.toThrow();
  });
});
