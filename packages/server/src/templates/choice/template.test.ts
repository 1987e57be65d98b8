import { choice, renderTemplate } from "@vitrine/server/templates";
import { describe, expect, it } from "vitest";
import { askedOf } from "./options.js";

const OPTIONS = [{ value: "b", label: "Basic", description: "One server" }, 2];

describe("the question", () => {
  it.each([
    ["a list", ["a", 2, false], ["a", 2, false], ["a", "2", "false"]],
    ["options", { options: [{ value: 1, label: "One" }] }, [1], ["One"]],
    ["items", { items: [{ id: "x", name: "X" }, { title: "Y" }] }, ["x", "Y"], ["X", "Y"]],
    ["invalid options", [null, {}, { value: {} }, []], [], []],
    ["nothing", undefined, [], []],
    ["a text", "hello", [], []],
  ])("is read from %s", (_what, data, values, labels) => {
    const { options } = askedOf(data, {});
    expect(options.map(({ value }) => value)).toEqual(values);
    expect(options.map(({ label }) => label)).toEqual(labels);
  });

  it("prefers the configuration, including false", () => {
    const data = { question: "Of the data?", options: ["x"], multiple: true };
    const asked = askedOf(data, { question: "Which?", multiple: false, options: undefined });
    expect(asked).toEqual({ question: "Which?", isMultiple: false, options: [{ value: "x", label: "x" }] });
    expect(askedOf(data, {})).toMatchObject({ question: "Of the data?", isMultiple: true });
  });
});

describe("the choice", () => {
  it.each([
    [undefined, { question: "Which?", options: OPTIONS }, "Which? (choose one)\n\n- Basic – One server\n- 2"],
    [{ options: ["a"] }, { multiple: true, title: "T" }, "T (choose any of them)\n\n- a"],
    ["Saved.", { question: "Which?" }, "Which?\n\nSaved."],
  ])("is rendered as text: %j", (data, config, text) => {
    expect(choice.text?.(data, config)).toBe(text);
  });

  it("has 20,000 bytes at most, and refuses unknown settings", () => {
    expect(renderTemplate(choice, { options: OPTIONS }).length).toBeLessThanOrEqual(20_000);
    expect(() => renderTemplate(choice, { mutliple: true } as never)).toThrow("did you mean multiple?");
    expect(() => renderTemplate(choice, { options: [{ label: "x" }] } as never)).toThrow("value is missing");
  });
});
