/** The approval in a real browser: read, approved, rejected, confirmed, and decided once. */

import { type ApprovalConfig, approval, renderTemplate } from "@vitrine/server/templates";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failing, type ShownTemplate, TemplateStage } from "../../../../../testing/server/template-stage.ts";

let stage: TemplateStage;
beforeAll(async () => {
  stage = await TemplateStage.open();
});
afterAll(() => stage?.close());

const html = (config: ApprovalConfig = {}): string => renderTemplate(approval, config);
const button = (app: ShownTemplate, name: string) => app.view.getByRole("button", { name });
const status = (app: ShownTemplate) => app.view.locator(".place [role=status]").textContent();
const says = (text: string) => ({ content: [{ type: "text" as const, text }] });

const RELEASE = {
  title: "shop 2.4.0",
  summary: "41 commits since 2.3.1. All tests pass.",
  details: {
    service: "shop",
    downloads: 1234567,
    migrates: true,
    regions: ["eu-central", "us-east"],
    limits: { cpu: 2, memory: "4 GiB", rollout: { steps: [10, 50, 100] } },
  },
  args: { release: 240 },
};

describe("the approval", () => {
  it("shows the request, and calls the tool with the approval once", async () => {
    let answer: (result: ReturnType<typeof says>) => void = () => {};
    const app = await stage.show(html({ tool: "decide", toolArgs: { by: "person" }, reason: true }), {
      data: RELEASE,
      context: { locale: "de-DE" },
      tools: { decide: () => new Promise((resolve) => (answer = resolve)) },
    });
    expect(await app.view.getByRole("heading", { level: 2 }).textContent()).toBe("shop 2.4.0");
    const read = await app.view.locator("dd").allInnerTexts();
    expect(read.slice(0, 4)).toEqual(["shop", "1.234.567", "Yes", "eu-central, us-east"]);
    expect(JSON.parse(read[4] ?? "")).toEqual(RELEASE.details.limits);
    await button(app, "Approve").click();
    // Neither again, nor the other: the call is in progress.
    await button(app, "Approve").press("Enter");
    await button(app, "Reject").press("Enter");
    await expect.poll(() => app.calls).toHaveLength(1);
    answer(says("Rolling out."));
    await expect.poll(() => status(app)).toBe("Approved\nRolling out.");
    expect(await app.view.getByRole("button").count()).toBe(0);
    expect(app.calls).toEqual([
      { name: "decide", arguments: { by: "person", release: 240, approved: true } },
    ]);
    await expect
      .poll(() => app.heard("model-context"))
      .toMatchObject([
        {
          content: [{ text: "Approved: shop 2.4.0. decide said: Rolling out." }],
          structuredContent: { release: 240, approved: true },
        },
      ]);
    await app.close();
  });

  it("requires a reason to reject if configured, and can be retried when the tool fails", async () => {
    const results = [failing("The pipeline is away."), says("Stopped.")];
    const config = { approveTool: "go", rejectTool: "stop", reasonToReject: true, rejectLabel: "Stop it" };
    const app = await stage.show(html(config), {
      data: RELEASE,
      tools: { stop: () => results.shift() ?? failing("again?") },
    });
    await button(app, "Stop it").click();
    expect(await app.view.getByRole("alert").textContent()).toBe("Give a reason to reject it.");
    const reason = app.view.getByLabel("Reason");
    expect(await reason.getAttribute("aria-invalid")).toBe("true");
    expect(await reason.evaluate((field) => field === document.activeElement)).toBe(true);
    await reason.fill("Not on a Friday.");
    await button(app, "Stop it").click();
    await expect.poll(() => app.view.getByRole("alert").textContent()).toBe("The pipeline is away.");
    await button(app, "Stop it").click();
    await expect.poll(() => status(app)).toBe("Rejected: Not on a Friday.\nStopped.");
    const call = { name: "stop", arguments: { release: 240, reason: "Not on a Friday." } };
    expect(app.calls).toEqual([call, call]);
    await app.close();
  });

  it("asks for confirmation of a dangerous request, and goes back", async () => {
    const app = await stage.show(html({ danger: true, approveLabel: "Delete", approveTool: "remove" }), {
      data: "Delete 3 tables?",
      tools: { remove: () => says("Gone.") },
    });
    await button(app, "Delete").click();
    await app.view.getByRole("group", { name: "This is dangerous. Are you sure?" }).waitFor();
    // The harmless answer has the focus.
    await app.page.keyboard.press("Enter");
    expect(await app.view.getByRole("button").allTextContents()).toEqual(["Delete", "Reject"]);
    expect(app.calls).toEqual([]);
    await app.page.keyboard.press("Enter");
    await button(app, "Yes, delete").click();
    await expect.poll(() => status(app)).toBe("Approved\nGone.");
    expect(app.calls).toEqual([{ name: "remove", arguments: {} }]);
    await app.close();
  });

  it("sends a message to the conversation without a tool", async () => {
    const app = await stage.show(html({ approveTool: "go" }), { data: { summary: "Pay 5 francs?" } });
    await button(app, "Reject").click();
    await expect
      .poll(() => app.heard("message"))
      .toMatchObject([{ content: [{ text: "Rejected: Pay 5 francs?." }] }]);
    expect([await status(app), app.calls]).toEqual(["Rejected", []]);
    await app.close();
  });

  it("shows the request while the model writes it, and enables the decision when the tool has answered", async () => {
    const app = await stage.show(html());
    await app.partial({ service: "sh" });
    await expect.poll(() => app.text()).toContain("service sh");
    await app.input({ service: "shop" });
    await expect.poll(() => app.text()).toContain("service shop");
    expect(await app.view.getByRole("button").count()).toBe(0);
    await app.result(says("Shall it go?"));
    await button(app, "Approve").waitFor();
    expect(await app.text()).toMatch(/Shall it go\? service shop/);
    await app.close();
    const empty = await stage.show(html(), { data: {} });
    await expect.poll(() => empty.text()).toBe("Approval There is nothing to approve.");
    await empty.close();
  });

  it.each([
    ["light", 900, "en"],
    ["dark", 320, "ar"],
  ] as const)("is for everybody: %s, %i px, %s", async (theme, width, locale) => {
    const app = await stage.show(html({ title: "Release to production?", reason: true, danger: true }), {
      data: RELEASE,
      width,
      context: { theme, locale },
    });
    await button(app, "Approve").waitFor();
    await app.expectAccessible();
    await app.expectNoOverflow();
    await button(app, "Approve").click();
    await app.expectAccessible();
    await button(app, "Yes, approve").click();
    await app.expectAccessible();
    await app.close();
  });
});
