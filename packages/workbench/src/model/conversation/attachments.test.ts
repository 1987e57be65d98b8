import type { ResourceContents } from "@vitrine/protocol";
import { describe, expect, it } from "vitest";
import { attachedContents, type GivenFile, readAttachment, type Shrink } from "./attachments.js";

const file = (name: string, type: string, content: string | Uint8Array<ArrayBuffer>): GivenFile =>
  new File([content], name, { type });
const shrink: Shrink = async (_file, size) => ({
  data: "A".repeat(Math.min(size, 100)),
  mimeType: "image/jpeg",
});
const none: Shrink = async () => undefined;

describe("an attachment", () => {
  it("is a picture, or a text with its name", async () => {
    expect(await readAttachment(file("a.png", "image/png", "x"), 1_000, shrink)).toEqual({
      block: { type: "image", data: "A".repeat(100), mimeType: "image/jpeg" },
      size: 100,
    });
    expect(await readAttachment(file("a b.py", "", "print(1)\n"), 1_000, none)).toEqual({
      block: {
        type: "resource",
        resource: { uri: "attachment:///a%20b.py", mimeType: "text/plain", text: "print(1)\n" },
      },
      size: 12,
    });
  });

  it.each([
    ["a.pdf", "application/pdf", "%PDF", undefined],
    ["a.pdf", "application/pdf", "x".repeat(760), /too large/],
    ["a.zip", "application/zip", "PK", /neither a picture.*PDF/],
    ["a.exe", "", "MZ", /neither a picture/],
    ["a.svg", "image/svg+xml", "<svg>", undefined],
    ["a.txt", "text/plain", new Uint8Array([0xff, 0xfe, 0x00]), /UTF-8/],
    ["a.txt", "text/plain", "a\0b", /UTF-8/],
    ["a.txt", "text/plain", "x".repeat(1_001), /too large/],
    ["a.txt", "text/plain", "\n".repeat(900), /too large/],
    ["a.png", "image/png", "x", /can be read/],
  ])("%s (%s) is checked", async (name, type, content, problem) => {
    const read = await readAttachment(file(name, type, content), 1_000, none);
    if (problem) expect(read).toMatchObject({ problem: expect.stringMatching(problem) });
    // A drawing is its source.
    else expect(read).toMatchObject({ block: { type: "resource" } });
  });

  it.each<[string, ResourceContents, object]>([
    [
      "a text, with its address",
      { uri: "db://1", text: "one" },
      { block: { resource: { uri: "db://1", text: "one" } } },
    ],
    [
      "a picture",
      { uri: "db://a.png", mimeType: "image/png", blob: "AAAA" },
      { block: { type: "image", mimeType: "image/jpeg" } },
    ],
    [
      "a PDF",
      { uri: "db://a.pdf", mimeType: "application/pdf", blob: "AAAA" },
      { block: { resource: { uri: "db://a.pdf", blob: "AAAA" } } },
    ],
    [
      "nothing that no model reads",
      { uri: "db://a.zip", mimeType: "application/zip", blob: "AAAA" },
      { problem: /neither/ },
    ],
    ["nothing too large", { uri: "db://1", text: "x".repeat(1_000) }, { problem: /“db:\/\/1” is too large/ }],
  ])("takes from a server %s", async (_, contents, expected) => {
    const read = await attachedContents(contents, 1_000, shrink);
    if ("problem" in expected) expect("problem" in read && read.problem).toMatch(expected.problem as RegExp);
    else expect(read).toMatchObject(expected);
  });
});
