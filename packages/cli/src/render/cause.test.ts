import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { CAUSES } from "./cause.js";

it("has every code that has a fix in the table of the document", () => {
  const document = readFileSync(new URL("../../../../docs/render.md", import.meta.url), "utf8");
  const table = document.split("## Causes")[1]?.split("\n## ")[0] ?? "";
  const listed = new Set(
    [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, codes]) => codes?.match(/[\w-]+/g) ?? []),
  );
  expect(CAUSES.length).toBeGreaterThan(20);
  expect(CAUSES.filter((code) => !listed.has(code))).toEqual([]);
});
