import { deflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { pdfFacts } from "./pdf-facts.js";

const bytes = (...parts: (string | Buffer)[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part))),
  );
const PAGES =
  "1 0 obj <</Type /Pages /Count 2>> endobj 2 0 obj <</Type /Page>> endobj 3 0 obj <</Type/Page/Parent 1 0 R>> endobj";

it("counts the pages of a plain file", async () => {
  expect(await pdfFacts(bytes("%PDF-1.4\n", PAGES))).toEqual({ version: "1.4", pages: 2 });
});

it("counts the pages in compressed streams of objects", async () => {
  const head = "4 0 obj <</Type /ObjStm /N 3 /First 10 /Filter /FlateDecode /Length 99>> stream\r\n";
  const file = bytes("%PDF-1.7\n", head, deflateSync(PAGES), "\r\nendstream endobj");
  expect(await pdfFacts(file)).toEqual({ version: "1.7", pages: 2 });
});

it("says nothing about pages that it cannot see, and about other files", async () => {
  expect(await pdfFacts(bytes("%PDF-1.7\n", PAGES, " trailer <</Encrypt 9 0 R>>"))).toEqual({
    version: "1.7",
    pages: undefined,
  });
  expect(await pdfFacts(bytes("%PDF-1.7\nnothing"))).toEqual({ version: "1.7", pages: undefined });
  expect(await pdfFacts(bytes("<html>"))).toBeUndefined();
});

it("stops at a stream that grows without end", async () => {
  const head = "4 0 obj <</Type /ObjStm /Filter /FlateDecode>> stream\n";
  const bomb = deflateSync(Buffer.alloc(200_000_000));
  const before = performance.now();
  expect((await pdfFacts(bytes("%PDF-1.7\n", PAGES, head, bomb, "endstream")))?.pages).toBeUndefined();
  expect(performance.now() - before).toBeLessThan(20_000);
});
