/**
 * Pages with actions, in the most limited host: its sandbox has no `allow-forms`, so no form is ever
 * submitted, and it accepts no messages and no model context. The pages work anyway, without errors.
 */
import { choice, dataTable, fileUpload, form, renderTemplate, wizard } from "@vitrine/server/templates";
import type { Frame } from "playwright-core";
import { expect, it } from "vitest";
import { appPage } from "../../../../testing/app-page.ts";

const DOCUMENTS = {
  "/form": renderTemplate(form, { fields: [{ name: "city", required: true }], submitTool: "go" }),
  "/form-of-tool": renderTemplate(
    form,
    {},
    { name: "go", inputSchema: { properties: { city: { type: "string" } }, required: ["city"] } },
  ),
  "/wizard": renderTemplate(wizard, {
    steps: [{ title: "One", fields: [{ name: "city", required: true }] }],
    submitTool: "go",
  }),
  "/choice": renderTemplate(choice, { options: ["Berne", "Rome"], submitTool: "go" }),
  "/file-upload": renderTemplate(fileUpload, { submitTool: "go", encoding: "text" }),
};
const page = appPage({ ...DOCUMENTS, "/table": renderTemplate(dataTable, {}) });

const typeCity = async (view: Frame): Promise<void> => {
  await view.getByRole("textbox", { name: /city/i }).fill("Berne");
  await view.getByRole("textbox").press("Enter");
};
/** User actions in each page, by keyboard where there is something to type. */
const DEEDS: Record<keyof typeof DOCUMENTS, (view: Frame) => Promise<void>> = {
  "/form": typeCity,
  // The host does not say whose view it is.
  "/form-of-tool": typeCity,
  "/wizard": async (view) => {
    await typeCity(view);
    await view.getByRole("button", { name: "Submit" }).click();
  },
  "/choice": async (view) => {
    await view.getByRole("radio", { name: "Berne" }).check();
    await view.getByRole("radio", { name: "Berne" }).press("Enter");
  },
  "/file-upload": async (view) => {
    const file = { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("Berne") };
    await view.locator("input[type=file]").setInputFiles(file);
    await view.getByRole("button", { name: "Upload" }).click();
  },
};

it.each(Object.keys(DOCUMENTS) as (keyof typeof DOCUMENTS)[])("%s", async (path) => {
  const view = await page.open({
    url: `${page.site.origin("view")}${path}`,
    sandbox: "allow-scripts",
    answers: { "tools/call": { result: { content: [{ type: "text", text: "It went." }] } } },
  });
  await page.host.waitFor("ui/notifications/initialized");
  await page.host.notify("ui/notifications/tool-input", { arguments: {} });
  await DEEDS[path](view);
  const [call] = await page.host.waitFor("tools/call");
  expect(call?.params).toMatchObject({ name: "go" });
  expect(JSON.stringify(call?.params)).toContain("Berne");
  await view.getByText("It went.").waitFor();
  // Later requests are refused, and the page has received the refusal.
  await page.host.waitFor("ui/update-model-context");
  if (/form|wizard/.test(path)) await page.host.waitFor("ui/message");
  await page.host.request("ping");
  expect(await view.getByRole("alert").allInnerTexts()).toEqual([]);
});

it("/table offers no file if the host accepts none, and reads the first text", async () => {
  const view = await page.open({ url: `${page.site.origin("view")}/table`, sandbox: "allow-scripts" });
  await page.host.waitFor("ui/notifications/initialized");
  await page.host.notify("ui/notifications/tool-input", { arguments: {} });
  const content = ['[{"city":"Berne"}]', "That is all."].map((text) => ({ type: "text", text }));
  await page.host.notify("ui/notifications/tool-result", { content });
  await view.getByRole("cell", { name: "Berne" }).waitFor();
  expect(await view.getByRole("button").allInnerTexts()).not.toContain("Save as CSV");
});
