import { renderTemplate, type WizardConfig, wizard } from "@vitrine/server/templates";
import { describe, expect, it } from "vitest";

const CONFIG: WizardConfig = {
  title: "New server",
  steps: [
    { title: "Name", fields: [{ name: "name", required: true }] },
    {
      title: "Size",
      description: "Can change.",
      fields: [{ name: "memory", type: "select", options: [2, 4] }],
    },
  ],
};

describe("the wizard", () => {
  it("asks as text, step by step, with the known answers", () => {
    expect(wizard.text?.({ name: "a", memory: 4 }, CONFIG)).toBe(
      "New server\n\n1. Name\n\n- name (required): a\n\n2. Size\n\nCan change.\n\n- memory (one of 2, 4): 4",
    );
    expect(wizard.text?.(undefined, CONFIG)).toContain("- name (required)\n");
    expect(wizard.text?.({ name: "a", created: true }, CONFIG)).toBe("- name: a\n- created: true");
  });

  it("has 20,000 bytes at most, and refuses invalid configurations", () => {
    expect(renderTemplate(wizard, CONFIG).length).toBeLessThanOrEqual(20_000);
    expect(() => renderTemplate(wizard, {} as never)).toThrow("config.steps is missing");
    expect(() => renderTemplate(wizard, { steps: [] })).toThrow("config.steps must have 1 or more");
    expect(() => renderTemplate(wizard, { steps: [{ title: "x" }] } as never)).toThrow(
      "steps[0].fields is missing",
    );
  });
});
