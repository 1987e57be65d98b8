/** The tree in a real browser: opened, navigated, filtered, selected, and loaded. */

import { renderTemplate, type TreeViewConfig, treeView } from "@vitrine/server/templates";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  failing,
  giving,
  type ShownTemplate,
  TemplateStage,
} from "../../../../../testing/server/template-stage.ts";

let stage: TemplateStage;
beforeAll(async () => {
  stage = await TemplateStage.open();
});
afterAll(() => stage?.close());

const html = (config: TreeViewConfig = {}): string => renderTemplate(treeView, config);
const labels = (app: ShownTemplate): Promise<string[]> => app.view.locator(".label").allInnerTexts();
const focused = (app: ShownTemplate): Promise<string | null> =>
  app.view.locator("[role=treeitem]:focus").textContent();
const item = (app: ShownTemplate, name: string) => app.view.getByRole("treeitem", { name, exact: true });
/** Presses keys one after the other, and returns where they led. */
async function press(app: ShownTemplate, ...keys: string[]): Promise<string | null> {
  for (const key of keys) await app.page.keyboard.press(key);
  return focused(app);
}

const FILES = [
  {
    id: "src",
    label: "src",
    children: [
      {
        id: "pages",
        label: "pages",
        children: [
          { id: "home", label: "home.ts" },
          { id: "help", label: "help.ts" },
        ],
      },
      { id: "index", label: "index.ts", meta: "2 KB" },
    ],
  },
  { id: "readme", label: "README.md", icon: "custom", iconChar: "★" },
  { id: "hidden", label: "<img src=x onerror=alert(1)>" },
];

describe("the tree", () => {
  it("opens the configured levels, and labels each node", async () => {
    const app = await stage.show(html({ title: "Files" }), { data: FILES });
    await app.view.getByRole("tree", { name: "Files" }).waitFor();
    expect(await labels(app)).toEqual([
      "src",
      "pages",
      "index.ts 2 KB",
      "README.md",
      "<img src=x onerror=alert(1)>",
    ]);
    const state = (name: string) =>
      item(app, name).evaluate((node) =>
        ["expanded", "level", "selected"].map((each) => node.getAttribute(`aria-${each}`)),
      );
    expect(await state("src")).toEqual(["true", "1", null]);
    expect(await state("pages")).toEqual(["false", "2", null]);
    expect(await state("index.ts 2 KB")).toEqual([null, "2", null]);
    expect(await app.view.locator(".icon").allInnerTexts()).toEqual(["", "", "", "★", ""]);
    expect(await app.text()).toContain("7 items");
    // By mouse: the whole line, if nothing is selectable.
    await item(app, "pages").locator(".label").click();
    expect(await labels(app)).toContain("home.ts");
    await item(app, "src").locator(".arrow").click();
    expect(await labels(app)).toEqual(["src", "README.md", "<img src=x onerror=alert(1)>"]);
    await app.close();
  });

  it("is navigated by keyboard, with one tab stop", async () => {
    const app = await stage.show(html({ showIcons: false, expandLevel: 0 }), { data: { nodes: FILES } });
    await item(app, "src").waitFor();
    expect(await app.view.locator(".icon").count()).toBe(0);
    await app.focus(app.view.getByRole("searchbox"));
    expect(await press(app, "Tab")).toBe("src");
    expect(await press(app, "ArrowRight")).toBe("src");
    expect(await press(app, "ArrowRight")).toBe("pages");
    expect(await press(app, "ArrowRight", "ArrowDown")).toBe("home.ts");
    expect(await press(app, "ArrowLeft")).toBe("pages");
    expect(await press(app, "ArrowLeft")).toBe("pages");
    expect(await labels(app)).not.toContain("home.ts");
    expect(await press(app, "ArrowLeft", "End")).toBe("<img src=x onerror=alert(1)>");
    expect(await press(app, "ArrowUp")).toBe("README.md");
    expect(await press(app, "Home")).toBe("src");
    expect(await press(app, "r")).toBe("README.md");
    expect(await press(app, "Home", "ArrowDown", "Enter", "ArrowDown")).toBe("home.ts");
    expect(await app.view.locator("[tabindex='0']").count()).toBe(1);
    await app.close();
  });

  it("filters: shows matches with their ancestors and their number, and restores the state afterwards", async () => {
    const app = await stage.show(html(), { data: FILES });
    const before = await labels(app);
    const find = (text: string) => app.view.getByRole("searchbox").fill(text);
    await find("HE");
    await expect.poll(() => labels(app)).toEqual(["src", "pages", "help.ts"]);
    expect(await app.text()).toContain("1 of 7 items");
    await find("pages");
    await expect.poll(() => labels(app)).toEqual(["src", "pages"]);
    // A match can be opened.
    await item(app, "pages").locator(".arrow").click();
    expect(await labels(app)).toEqual(["src", "pages", "home.ts", "help.ts"]);
    await find("nowhere");
    await expect.poll(() => app.text()).toContain("Nothing found.");
    await find("");
    await expect.poll(() => labels(app)).toEqual(before);
    await app.close();
  });

  it("calls the tool for the selection, or sends a message", async () => {
    const tools = { open_it: ({ nodeId }: Record<string, unknown>) => giving(`Opened ${nodeId}`) };
    const data = { id: 5, label: "five", children: [{ id: "six" }] };
    const app = await stage.show(html({ selectable: true, onSelectTool: "open_it" }), { data, tools });
    await item(app, "five").locator(".label").click();
    await expect.poll(() => app.text()).toContain("Opened 5");
    expect(await item(app, "five").getAttribute("aria-selected")).toBe("true");
    expect(await press(app, "ArrowDown", "Enter")).toBe("six");
    await expect.poll(() => app.text()).toContain("Opened six");
    expect(await item(app, "five").getAttribute("aria-selected")).toBe("false");
    expect(app.calls.map((call) => call.arguments)).toEqual([{ nodeId: 5 }, { nodeId: "six" }]);
    expect(await app.heard("message")).toEqual([]);
    await app.close();
    const plain = await stage.show(html({ selectable: true }), { data });
    await item(plain, "six").locator(".label").click();
    await expect.poll(() => plain.heard("message")).toMatchObject([{ content: [{ text: "Selected: six" }] }]);
    await plain.close();
  });

  it("loads missing children, retries after a failure, and says when there are none", async () => {
    let isAway = true;
    const answers: Record<string, unknown> = {
      home: { children: [{ id: "letters", hasChildren: true }] },
      letters: [],
    };
    const tools = {
      list: ({ nodeId }: Record<string, unknown>) =>
        isAway ? failing("The disk is away.") : giving(answers[`${nodeId}`]),
    };
    const data = [{ id: "home", label: "Home", hasChildren: true }];
    const app = await stage.show(html({ childrenTool: "list", expandLevel: 3 }), { data, tools });
    await app.focus(item(app, "Home"));
    await app.page.keyboard.press("ArrowRight");
    await expect.poll(() => app.view.getByRole("alert").textContent()).toBe("The disk is away.");
    expect(await item(app, "Home").getAttribute("aria-expanded")).toBe("false");
    isAway = false;
    await app.page.keyboard.press("ArrowRight");
    await expect.poll(() => labels(app)).toEqual(["Home", "letters"]);
    expect(await app.view.getByRole("alert").count()).toBe(0);
    expect(await app.text()).toContain("2 items");
    await press(app, "ArrowRight", "ArrowRight");
    await expect.poll(() => app.text()).toContain("Nothing in letters.");
    expect(await item(app, "letters").getAttribute("aria-expanded")).toBeNull();
    expect(app.calls.map((call) => call.arguments["nodeId"])).toEqual(["home", "home", "letters"]);
    await app.close();
  });

  it("builds only the open part of 5,000 nodes, and searches all of them", async () => {
    const nodes = Array.from({ length: 50 }, (_, folder) => ({
      id: `f${folder}`,
      children: Array.from({ length: 99 }, (_, file) => ({ id: `f${folder}-${file}` })),
    }));
    const app = await stage.show(html({ expandLevel: 0 }), { data: nodes });
    await expect.poll(() => app.text()).toContain("5,000 items");
    expect(await app.view.getByRole("treeitem").count()).toBe(50);
    await app.view.getByRole("searchbox").fill("f49-98");
    await expect.poll(() => labels(app)).toEqual(["f49", "f49-98"]);
    await app.close();
    const empty = await stage.show(html(), { data: [] });
    await expect.poll(() => empty.text()).toContain("Nothing to show.");
    await empty.close();
  });

  it.each([
    ["light", 900, "en"],
    ["dark", 320, "he"],
  ] as const)("is for everybody: %s, %i px, %s", async (theme, width, locale) => {
    const deep = Array.from({ length: 20 }).reduce<object>(
      (child, _, at) => ({ id: `level ${at}`, children: [child] }),
      {
        id: "a-name-that-is-long-and-has-no-place-where-it-could-be-broken-in-two.test.ts",
      },
    );
    const config = { title: "Files", selectable: true, expandLevel: 30, onSelectTool: "slow" };
    const app = await stage.show(html(config), {
      data: [...FILES, deep],
      width,
      context: { theme, locale },
      // Also during the call for the selection.
      tools: { slow: () => new Promise(() => {}) },
    });
    await item(app, "README.md").locator(".label").click();
    await expect.poll(() => app.text()).toContain("README.md …");
    await app.expectAccessible();
    await app.expectNoOverflow();
    // The arrow that points inward opens and closes.
    const [inward, outward] = locale === "he" ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"];
    expect(await press(app, "Home", outward)).toBe("src");
    expect(await item(app, "src").getAttribute("aria-expanded")).toBe("false");
    expect(await press(app, inward, inward)).toBe("pages");
    await app.close();
  });
});
