import fc from "fast-check";
import { expect, it } from "vitest";
import { TextTail } from "./text-tail.js";

it("keeps the last bytes of a stream", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 40, unit: "binary-ascii" })), (chunks) => {
      const tail = new TextTail(16);
      for (const chunk of chunks) tail.push(Buffer.from(chunk));
      expect(tail.toString()).toBe(chunks.join("").slice(-16));
    }),
  );
});

it("drops a cut character at its start", () => {
  const tail = new TextTail(4);
  tail.push(Buffer.from("äöü!"));
  expect(tail.toString()).toBe("ü!");
});
