/** Records, arguments built from them, and the card as text. */

import { detail, renderTemplate } from "@vitrine/server/templates";
import { describe, expect, it } from "vitest";
import { filled, recordOf } from "./record.js";

describe("the record of a detail card", () => {
  it.each([
    [{ id: 1 }, { id: 1 }],
    [[{ id: 1 }, { id: 2 }], { id: 1 }],
    [{ items: [{ id: 1 }] }, { id: 1 }],
    [{ tags: ["a"] }, { tags: ["a"] }],
    [
      { id: 7, items: [{ id: 1 }] },
      { id: 7, items: [{ id: 1 }] },
    ],
    [[], undefined],
    ["text", undefined],
    [null, undefined],
  ])("of %j is %j", (data, record) => {
    expect(recordOf(data)).toEqual(record);
  });

  it("is the whole, if its fields include `items`", () => {
    const order = { items: [{ id: 1 }] };
    expect(recordOf(order, ["items"])).toBe(order);
  });

  it("replaces only whole strings, and only with own fields", () => {
    const record = { id: 7, list: [1] };
    expect(
      filled({ a: "{id}", b: "no {id}", c: ["{list}"], d: 1, e: "{toString}", f: "{}" }, record),
    ).toEqual({
      a: 7,
      b: "no {id}",
      c: [[1]],
      d: 1,
      e: undefined,
      f: "{}",
    });
  });

  it("is rendered as text, with its actions", () => {
    const config = {
      title: "Parcel",
      fields: [{ key: "id", label: "Number" }, { key: "paid" }],
      actions: [{ label: "Pay", tool: "pay-it" }],
    };
    expect(detail.text?.([{ id: 7, paid: false, other: 1 }], config)).toBe(
      "Parcel\n\n- Number: 7\n- paid: false\n\nActions: Pay (tool pay-it)",
    );
    expect(detail.text?.({ id: 7 }, {})).toBe("- id: 7");
    expect(detail.text?.([], {})).toBe("(nothing)");
  });

  it("is in a document of 20,000 bytes at most", () => {
    expect(Buffer.byteLength(renderTemplate(detail, { title: "Parcel" }))).toBeLessThanOrEqual(20_000);
    const wrong = { actions: [{ label: "Pay", tool: "pay", styl: "main" }] };
    expect(() => renderTemplate(detail, wrong as never)).toThrow("did you mean style?");
  });
});
