import { readFileSync } from "node:fs";
import { STYLE_VARIABLES } from "@vitrine/protocol";
import { expect, it } from "vitest";
import { PAGE_TOKENS, WORKBENCH_STYLES } from "./workbench-styles.js";

it("X01, X03: apps get every standard variable, with the values of the page's own tokens", () => {
  const css = readFileSync(new URL("../../ui/styles.css", import.meta.url), "utf8");
  const { variables } = WORKBENCH_STYLES;
  expect(Object.keys(variables ?? {}).sort()).toEqual([...STYLE_VARIABLES].sort());
  for (const [name, [token, value]] of Object.entries(PAGE_TOKENS)) {
    expect(css, name).toContain(`${token}: ${value};`);
    expect(variables).toMatchObject({ [name]: value });
  }
});

it("X01: its fonts load nothing over the network", () => {
  expect(WORKBENCH_STYLES.css?.fonts).toContain("@font-face");
  expect(WORKBENCH_STYLES.css?.fonts).not.toContain("url(");
});
