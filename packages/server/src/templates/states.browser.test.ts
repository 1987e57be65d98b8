/**
 * Every template in each of its states, in a real browser 320 px wide: waiting, empty, failed, cancelled; and
 * with the look, language and direction of its host, which change while it runs.
 */
import { TEMPLATES } from "@vitrine/server/templates";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FramedTemplate, TemplateFrames } from "../../../../testing/server/template-frames.ts";
import {
  accessibilityProblems,
  failing,
  giving,
  overflow,
} from "../../../../testing/server/template-stage.ts";

type Json = Record<string, unknown>;

/** Input of a template, and its expected text. */
interface Example {
  config?: Json;
  /** Before there is a result. */
  waiting?: string;
  data: unknown;
  /** Text of the data; its numbers are formatted in the host's language. */
  text: string;
  /** An empty result, and the expected message; as a separate page if it needs a configuration. */
  empty: { data: unknown; text: string; config?: Json };
  /** Arguments that are data, the text shown while the model writes, and other arguments. */
  written?: { input: Json; text: string; others: Json };
  /** It has no numbers. */
  isWithoutNumbers?: boolean;
}

const NOTHING = { data: [], text: "Nothing to show." };
const FIELDS = [{ name: "city", label: "Your city", required: true }];
const EXAMPLES: Readonly<Record<string, Example>> = {
  approval: {
    data: { summary: "Pay the bill?", details: { amount: 1234.5 } },
    text: "Pay the bill? amount 1,234.5",
    empty: { data: {}, text: "There is nothing to approve." },
  },
  chart: {
    data: [
      { month: "May", visits: 12 },
      { month: "June", visits: 40 },
    ],
    text: "visits",
    written: {
      input: { items: [{ month: "Bas", steps: 3 }] },
      text: "Bas",
      others: { items: [], labels: 2 },
    },
    empty: NOTHING,
  },
  choice: {
    data: { question: "Which one?", options: ["Berne", "Rome"] },
    text: "Which one? Berne Rome",
    empty: { data: { options: [] }, text: "There is nothing to choose from." },
    isWithoutNumbers: true,
  },
  "data-table": {
    data: { items: [{ city: "Berne", people: 137995 }] },
    text: "Berne 137,995 1 of 1",
    written: { input: { rows: [{ city: "Bas" }] }, text: "city Bas", others: { rows: 25, items: ["a"] } },
    empty: NOTHING,
  },
  detail: {
    config: { actions: [{ label: "Visit", tool: "visit" }] },
    data: { city: "Berne", people: 137995 },
    text: "city Berne people 137,995 Visit",
    written: { input: { record: { city: "Bas" } }, text: "city Bas", others: { city: "Berne" } },
    empty: { ...NOTHING, data: {} },
  },
  "diff-viewer": {
    data: { left: "one\ntwo", right: "one\nthree" },
    text: "+1 lines added −1 lines removed",
    written: {
      input: { original: "one\nnine" },
      text: "nine",
      others: { left: "a.txt", right: "b.txt" },
    },
    empty: { data: {}, text: "Nothing to compare." },
  },
  "file-upload": {
    config: { submitTool: "save", maxFiles: 3 },
    waiting: "Choose files",
    data: {},
    text: "3 files",
    empty: { data: {}, text: "Choose files" },
  },
  form: {
    config: { fields: FIELDS },
    waiting: "Your city",
    data: { city: "Berne" },
    text: "Your city",
    empty: { config: {}, data: {}, text: "There is nothing to fill in." },
    isWithoutNumbers: true,
  },
  kanban: {
    data: { cards: [{ id: 1, title: "Write it down", column: "todo" }] },
    text: "To Do 1 Write it down",
    written: { input: { cards: [{ title: "Bas" }] }, text: "Bas", others: { cards: ["a"], cardId: 5 } },
    empty: { data: { cards: [] }, text: "To Do 0 No cards. In Progress 0 No cards. Done 0 No cards." },
  },
  progress: {
    waiting: "Working …",
    data: { percent: 40, message: "Packing" },
    text: "40% Packing",
    empty: { data: {}, text: "Nothing to show." },
  },
  "tree-view": {
    data: [{ label: "src", children: [{ label: "index.ts" }] }],
    text: "src index.ts 2 items",
    written: { input: { label: "Bas", children: [{ label: "el" }] }, text: "Bas el", others: { nodes: 2 } },
    empty: NOTHING,
  },
  wizard: {
    config: { steps: [{ title: "Where from", fields: FIELDS }] },
    waiting: "Where from",
    data: { city: "Berne" },
    text: "Your city",
    empty: { data: {}, text: "Where from" },
    isWithoutNumbers: true,
  },
};

let frames: TemplateFrames;
beforeAll(async () => {
  frames = await TemplateFrames.open();
});
afterAll(() => frames?.close());

/** It is accessible, and nothing overflows. */
async function expectFine({ frame }: FramedTemplate): Promise<void> {
  expect(await accessibilityProblems(frame)).toEqual([]);
  expect(await overflow(frame)).toBeLessThanOrEqual(0);
}

/** From 0, which is black, to 255. */
function brightness(color: string): number {
  const [red = 0, green = 0, blue = 0] = color.match(/[\d.]+/g)?.map(Number) ?? [];
  return 0.3 * red + 0.6 * green + 0.1 * blue;
}

it("every template has an example", () => {
  expect(Object.keys(EXAMPLES).sort()).toEqual(Object.keys(TEMPLATES).sort());
});

describe.each(Object.entries(EXAMPLES))("%s", (name, example) => {
  const { config = {}, waiting, data, text, empty, written, isWithoutNumbers } = example;

  it("shows waiting and empty states", async () => {
    await frames.page.emulateMedia({ reducedMotion: "no-preference" });
    const view = await frames.show(name, config);
    expect(await view.text()).toContain(waiting ?? "Waiting for data …");
    await expectFine(view);
    await view.tell("tool-input", { arguments: {} });
    expect(await view.text()).toContain(waiting ?? "Working …");
    const busy = view.frame.locator("[aria-busy=true], [role=progressbar]:not([aria-valuenow], [hidden])");
    const isBusy = waiting === undefined || name === "progress";
    expect(await busy.count()).toBe(isBusy ? 1 : 0);
    expect((await view.moving()) > 0).toBe(isBusy);
    await frames.page.emulateMedia({ reducedMotion: "reduce" });
    expect(await view.moving()).toBe(0);
    await frames.page.emulateMedia({ reducedMotion: "no-preference" });
    expect((await view.moving()) > 0).toBe(isBusy);
    const last = empty.config ? await frames.show(name, empty.config) : view;
    await last.tell("tool-result", giving(empty.data));
    expect(await last.text()).toContain(empty.text);
    expect(await last.text()).not.toContain("…");
    expect(await busy.count()).toBe(0);
    expect(await last.moving()).toBe(0);
    await expectFine(last);
    await last.close();
    await view.close();
  });

  it("shows failure and cancellation", async () => {
    const failed = await frames.show(name, config);
    await failed.tell("tool-input", { arguments: {} });
    await failed.tell("tool-result", failing("The database is away."));
    expect(await failed.frame.getByRole("alert").allTextContents()).toEqual(["The database is away."]);
    expect(await failed.text()).not.toContain("…");
    expect(await failed.moving()).toBe(0);
    await expectFine(failed);
    await failed.close();
    const cancelled = await frames.show(name, config);
    await cancelled.tell("tool-input", { arguments: {} });
    await cancelled.tell("tool-cancelled", { reason: "the model thought again" });
    const status = cancelled.frame.getByRole("status").first();
    expect(await status.textContent()).toBe("Cancelled: the model thought again");
    expect(await cancelled.text()).not.toContain("…");
    expect(await cancelled.moving()).toBe(0);
    await expectFine(cancelled);
    await cancelled.close();
  });

  if (written)
    it("shows the model's arguments until there is a result, read-only", async () => {
      const { input, text: part, others } = written;
      const view = await frames.show(name, config);
      const unused = view.frame.locator(".place[inert]");
      await view.tell("tool-input-partial", { arguments: others });
      expect(await view.text()).toContain("Waiting for data …");
      expect(await unused.count()).toBe(0);
      await view.tell("tool-input-partial", { arguments: input });
      expect(await view.text()).toMatch(new RegExp(`Waiting for data … .*${part}`));
      expect(await unused.count()).toBe(1);
      await expectFine(view);
      await view.tell("tool-input", { arguments: input });
      expect(await view.text()).toMatch(new RegExp(`Working … .*${part}`));
      await view.tell("tool-result", giving(data));
      expect(await view.text()).toContain(text);
      expect(await view.text()).not.toContain(part);
      expect(await unused.count()).toBe(0);
      await view.close();
      const kept = await frames.show(name, config);
      await kept.tell("tool-input", { arguments: input });
      await kept.tell("tool-result", { content: [{ type: "text", text: "Written down." }] });
      expect(await kept.text()).toContain(part);
      expect(await kept.frame.locator("[inert], [aria-busy]").count()).toBe(0);
      await kept.close();
      const gone = await frames.show(name, config);
      await gone.tell("tool-input-partial", { arguments: input });
      expect(await gone.text()).toContain(part);
      await gone.tell("tool-cancelled", {});
      await gone.tell("host-context-changed", { locale: "de" });
      expect(await gone.text()).toContain("Cancelled.");
      expect(await gone.text()).not.toContain(part);
      await gone.close();
    });

  it("follows its host's look and language, also when they change", async () => {
    const view = await frames.show(name, config);
    await view.tell("tool-input", { arguments: {} });
    await view.tell("tool-result", giving(data));
    expect(await view.text()).toContain(text);
    const light = await view.look();
    expect(brightness(light.paper)).toBeGreaterThan(240);
    expect(brightness(light.ink)).toBeLessThan(60);
    expect(await overflow(view.frame)).toBeLessThanOrEqual(0);
    await view.tell("host-context-changed", { theme: "dark" });
    const dark = await view.look();
    expect(brightness(dark.paper)).toBeLessThan(60);
    expect(brightness(dark.ink)).toBeGreaterThan(200);
    const shown = (): Promise<string> =>
      view.frame.evaluate(() => document.querySelector("main")?.textContent ?? "");
    expect(light.direction).toBe("ltr");
    expect(await shown()).not.toMatch(/[٠-٩]/);
    await view.tell("host-context-changed", { locale: "ar-EG" });
    expect((await view.look()).direction).toBe("rtl");
    // Displayed numbers are formatted again.
    if (!isWithoutNumbers) expect(await shown()).toMatch(/[٠-٩]/);
    await expectFine(view);
    const variables = {
      "--color-background-primary": "rgb(1, 2, 3)",
      "--color-text-primary": "rgb(251, 252, 253)",
      "--font-sans": "monospace",
    };
    await view.tell("host-context-changed", { styles: { variables } });
    expect(await view.look()).toMatchObject({
      paper: "rgb(1, 2, 3)",
      ink: "rgb(251, 252, 253)",
      font: "monospace",
    });
    await view.close();
  });
});
