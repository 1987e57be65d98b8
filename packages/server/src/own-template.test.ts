/** The custom template from the documentation: written, validated, discovered in folders, and used. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { appServer, view } from "@vitrine/server";
import { discover, uiMetaSchema } from "@vitrine/server/discovery";
import { renderTemplate, TEMPLATES } from "@vitrine/server/templates";
import { mountView, testServer } from "@vitrine/server/testing";
import { JSDOM } from "jsdom";
import { expect, it, onTestFinished } from "vitest";
import { shop } from "../../../examples/servers/rate.js";
import { rating } from "../../../examples/servers/rating.js";

const options = { name: "shop", version: "1.0.0", templates: [rating] };

/** A folder with this `ui.meta.json` for the view of a tool without code. */
function folderWith(meta: object): string {
  const root = mkdtempSync(join(tmpdir(), "vitrine-own-template-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "tools/rate/ui"), { recursive: true });
  writeFileSync(join(root, "tools/rate/tool.json"), JSON.stringify({ result: { stars: 3 } }));
  writeFileSync(join(root, "tools/rate/ui/ui.meta.json"), JSON.stringify(meta, null, 2));
  return root;
}

it("shows its tool's result, calls the tool, and renders the same as text", async () => {
  const server = await testServer(shop);
  const { window } = new JSDOM("", { runScripts: "dangerously" });
  const mounted = await mountView({ server, tool: "rate", window });
  onTestFinished(async () => {
    await mounted.close();
    await server.close();
  });
  expect(mounted.document.title).toBe("Rating");
  expect((await mounted.run({ stars: 2 })).content).toEqual([{ type: "text", text: "2 of 5 stars" }]);
  expect(mounted.text).toBe("Rating ★ 1 ★ 2 ★ 3 ★ 4 ★ 5 2 of 5");
  mounted.document.querySelectorAll("button")[3]?.click();
  await mounted.settled();
  expect(mounted.calls).toMatchObject([{ name: "rate", arguments: { stars: 4 } }]);
  expect(mounted.text).toContain("4 of 5");
  expect(mounted.problems).toEqual([]);
});

it("is refused with a configuration that violates its schema", async () => {
  const invalid = (message: string) => expect.objectContaining({ code: "config-invalid", message });
  expect(() => renderTemplate(rating, { stars: 11, rateTool: "rate" })).toThrow(
    invalid("rating: config.stars must be 10 or less"),
  );
  const config = { stars: 5, rateTool: "rate", colour: "red" };
  expect(() => renderTemplate(rating, config)).toThrow(
    invalid('rating: config has an unknown field "colour"; use one of title, stars, rateTool'),
  );
  const wrong = view({ name: "rating", template: rating, config });
  const server = appServer({ name: "shop", version: "1.0.0", tools: [], views: [wrong] });
  await expect(server.document(wrong)).rejects.toMatchObject({ code: "config-invalid" });
});

it("is found by its name in ui.meta.json, and known to editors", async () => {
  const config = { title: "How was it?", stars: 3, rateTool: "rate" };
  const found = await discover({ ...options, root: folderWith({ template: "rating", config }) });
  expect(found.problems).toEqual([]);
  const server = await testServer(found.server);
  const { html } = await server.view("rate");
  expect(html).toBe(renderTemplate(rating, config));
  expect(html).toContain("<title>How was it?</title>");
  const { content } = await server.call("rate", {});
  expect(content).toEqual([{ type: "text", text: "3 of 3 stars" }]);
  await server.close();
  expect(JSON.stringify(uiMetaSchema({ ...TEMPLATES, rating }))).toContain('"The maximum number of stars."');
});

it("is reported by file and field if ui.meta.json is wrong", async () => {
  const found = await discover({
    ...options,
    root: folderWith({ template: "rating", config: { stars: 3 } }),
  });
  expect(found.problems).toMatchObject([
    {
      file: "tools/rate/ui/ui.meta.json",
      code: "config-invalid",
      message: expect.stringContaining("rateTool is missing"),
    },
  ]);
});
