/** Documents of templates: cached, validated, small, and safe. */

import type { JsonSchema } from "@vitrine/protocol";
import type { Template } from "@vitrine/server";
import { dataTable, renderTemplate, TEMPLATES, templateCounts } from "@vitrine/server/templates";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("a template's document", () => {
  it("contains nothing of its configuration as markup", () => {
    const evil = fc.oneof(
      fc.string(),
      fc.constantFrom("</script><script>x()</script>", "<!--", "</title><b>", '"><img src=x onerror=x()>'),
    );
    fc.assert(
      fc.property(evil, evil, (title, label) => {
        const html = renderTemplate(dataTable, { title, columns: [{ key: "a", label }] });
        // Only the page's own elements.
        const marks = (text: string) => text.match(/<\/?[a-z]+/gi)?.map((each) => each.toLowerCase());
        const plain = renderTemplate(dataTable, { title: "x", columns: [{ key: "a", label: "x" }] });
        expect(marks(html)).toEqual(marks(plain));
        const json = /id="config">(.*)<\/script>/.exec(html)?.[1] ?? "";
        expect(JSON.parse(json)).toEqual({ title, columns: [{ key: "a", label }] });
      }),
    );
  });

  it("is rendered once, and a hundred are cached", () => {
    const before = templateCounts();
    const first = renderTemplate(dataTable, { title: "counted" });
    expect(renderTemplate(dataTable, { title: "counted" })).toBe(first);
    expect(templateCounts()).toMatchObject({ misses: before.misses + 1, hits: before.hits + 1 });
    for (let n = 0; n < 150; n++) renderTemplate(dataTable, { title: `many ${n}` });
    expect(templateCounts().kept).toBe(100);
    renderTemplate(dataTable, { title: "counted" });
    expect(templateCounts().misses).toBe(before.misses + 152);
  });

  it("belongs to its own template, even if another has the same name and differs in one letter", () => {
    const own: Template = {
      name: "own",
      title: "Own",
      schema: { type: "object" },
      style: "b{}",
      script: "one()",
    };
    const first = renderTemplate(own, {});
    const others: Partial<Template>[] = [{ style: "i{}" }, { script: "two()" }, { title: "Nwo" }];
    for (const other of others) {
      const [[, changed = ""] = []] = Object.entries(other);
      const document = renderTemplate({ ...own, ...other }, {});
      expect(document).not.toBe(first);
      expect(document).toContain(changed);
    }
    const strict: JsonSchema = { type: "object", required: ["a"] };
    expect(() => renderTemplate({ ...own, schema: strict }, {})).toThrow(/config\.a is missing/);
    // An equal object counts as the same.
    const before = templateCounts().hits;
    expect(renderTemplate({ ...own }, {})).toBe(first);
    expect(templateCounts().hits).toBe(before + 1);
  });

  it.each([
    [{ titel: "x" }, 'config has an unknown field "titel" (did you mean title?)'],
    [{ title: 5 }, "config.title must be a string"],
    [{ columns: [{ label: "x" }] }, "config.columns[0].key is missing"],
    [
      { columns: [{ key: "a", type: "money" }] },
      'config.columns[0].type must be one of "text", "number", "date", "boolean", "link"',
    ],
    [{ pageSize: -1 }, "config.pageSize must be 0 or more"],
    [{ pageSize: 1.5 }, "config.pageSize must be a whole number"],
  ])("is refused for %j", (config, message) => {
    expect(() => renderTemplate(dataTable, config as never)).toThrow(
      expect.objectContaining({ code: "config-invalid", message: `data-table: ${message}` }),
    );
  });

  it.each(Object.values(TEMPLATES).map((template) => [template.name, template] as const))(
    "%s has 20,000 bytes at most, including the runtime",
    (_name, { style, script, name }) => {
      expect(Buffer.byteLength(style) + Buffer.byteLength(script), name).toBeLessThan(19_600);
      expect(script).not.toMatch(/\beval\s*\(|\bFunction\s*\(|innerHTML|insertAdjacentHTML|document\.write/);
    },
  );
});

it("a table as text has the chosen columns, in their order and under their headings", () => {
  const columns = [{ key: "people", label: "People" }, { key: "name" }];
  const rows = [{ name: "Berne", people: 137_995, mayor: "x" }];
  const table = "| People | name |\n| --- | --- |\n| 137995 | Berne |";
  for (const data of [rows, { items: rows }, { items: rows, next: "b" }, { cities: rows }])
    expect(dataTable.text?.(data, { columns }, { inputSchema: undefined })).toBe(table);
  expect(dataTable.text?.(rows, {}, { inputSchema: undefined })).toContain("mayor");
  expect(dataTable.text?.("none", { columns }, { inputSchema: undefined })).toBe("none");
});
