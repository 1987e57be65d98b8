/**
 * The upload in a real browser: files are chosen, dropped and pasted, refused, sent, sent again, and stopped.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallToolResult } from "@vitrine/protocol";
import { type FileUploadConfig, fileUpload, renderTemplate } from "@vitrine/server/templates";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodePng } from "../../../../../testing/host/picture.ts";
import {
  failing,
  type Shown,
  type ShownTemplate,
  TemplateStage,
} from "../../../../../testing/server/template-stage.ts";

let stage: TemplateStage;
let folder: string;
beforeAll(async () => {
  stage = await TemplateStage.open();
  folder = await mkdtemp(join(tmpdir(), "upload-"));
});
afterAll(async () => {
  await stage?.close();
  await rm(folder, { recursive: true, force: true });
});

const show = (config: FileUploadConfig, shown: Shown = {}): Promise<ShownTemplate> =>
  stage.show(renderTemplate(fileUpload, config), shown);
const said = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });
const file = (name: string, content: string | Buffer = name, mimeType = "text/plain") => ({
  name,
  mimeType,
  buffer: Buffer.from(content),
});
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const choose = (app: ShownTemplate, ...files: ReturnType<typeof file>[]) =>
  app.view.getByLabel("Choose").setInputFiles(files);
const press = (app: ShownTemplate, name: string) =>
  app.view.getByRole("button", { name, exact: true }).click();
const rows = async (app: ShownTemplate): Promise<string[]> =>
  (await app.view.getByRole("listitem").allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
const names = (app: ShownTemplate) => app.view.locator("li b").allTextContents();
const status = (app: ShownTemplate) => app.view.locator(".place [role=status]").textContent();
const alert = (app: ShownTemplate) => app.view.locator("[role=alert]").textContent();
const focused = (app: ShownTemplate) => app.view.evaluate(() => document.activeElement?.textContent);

/** A red image of two pixels. */
const PICTURE = encodePng({ width: 2, height: 1, pixels: Uint32Array.of(0xff0000, 0xff0000) });

describe("the upload", () => {
  it("sends the files in one call, shows the result, and gives the model only names and sizes", async () => {
    const config = { submitTool: "save", submitArgs: { trip: "rome" }, accept: [".csv", "image/*"] };
    const app = await show(config, { tools: { save: () => said("Saved.") }, context: { locale: "de" } });
    await press(app, "Upload");
    expect(await alert(app)).toBe("Choose a file first.");
    await choose(app, file("a.csv", "x".repeat(1500), "text/csv"), file("red.png", PICTURE, "image/png"));
    expect(await alert(app)).toBe("");
    expect(await rows(app)).toEqual([
      "a.csv 1,5 kB · text/csv Remove",
      `red.png ${PICTURE.length} Byte · image/png Remove`,
    ]);
    expect(await status(app)).toBe("2 files, 1,6 kB");
    // The thumbnail is drawn, under the policy of every view.
    const colour = () =>
      app.view.locator("li:nth-child(2) canvas").evaluate((canvas: HTMLCanvasElement) => {
        const copy = document.createElement("canvas").getContext("2d");
        copy?.drawImage(canvas, 0, 0);
        return [...(copy?.getImageData(0, 0, 1, 1).data ?? [])];
      });
    expect(await colour()).toEqual([255, 0, 0, 255]);
    await press(app, "Upload");
    await expect.poll(() => status(app)).toBe("Saved.");
    const facts = [
      { name: "a.csv", type: "text/csv", size: 1500 },
      { name: "red.png", type: "image/png", size: PICTURE.length },
    ];
    const contents = [base64("x".repeat(1500)), PICTURE.toString("base64")];
    const files = facts.map((each, at) => ({ ...each, data: contents[at] }));
    expect(app.calls).toEqual([{ name: "save", arguments: { trip: "rome", files } }]);
    expect((await rows(app)).map((row) => row.endsWith(" Sent"))).toEqual([true, true]);
    await expect.poll(() => app.heard("model-context")).toHaveLength(1);
    const [{ content, structuredContent } = {}] = await app.heard("model-context");
    expect({ content, structuredContent }).toEqual({
      content: [
        {
          type: "text",
          text: `Files were sent: a.csv (1,5 kB), red.png (${PICTURE.length} Byte). save said: Saved.`,
        },
      ],
      structuredContent: { files: facts },
    });
    // Sent files are not sent again.
    await choose(app, file("b.csv"));
    expect(await status(app)).toBe("1 file, 5 Byte");
    await press(app, "Upload");
    await expect.poll(() => app.calls).toHaveLength(2);
    expect(app.calls[1]?.arguments["files"]).toMatchObject([{ name: "b.csv" }]);
    await app.close();
  });

  it("refuses with one sentence each, keeps the rest, and accepts drop and paste", async () => {
    const app = await show({ accept: [".txt"], maxFiles: 3, maxBytes: 100, maxTotalBytes: 150 });
    await choose(
      app,
      file("a.txt"),
      file("b.exe"),
      file("c.txt", ""),
      file("d.txt", "x".repeat(101)),
      file("e.txt", "x".repeat(99)),
      file("f.txt", "x".repeat(99)),
      file("<img src=x onerror=alert(1)>.txt"),
      file("h.txt"),
    );
    expect(await alert(app)).toBe(
      [
        "b.exe is none of .txt.",
        "c.txt is empty.",
        "d.txt is too large: 101 bytes of 100 bytes at most.",
        "f.txt is too much: 150 bytes in all at most.",
        "h.txt is one too many.",
      ].join("\n"),
    );
    expect(await names(app)).toEqual(["a.txt", "e.txt", "<img src=x onerror=alert(1)>.txt"]);
    // After removal the focus moves to the next file, or to the chooser if there is none.
    await press(app, "Remove e.txt");
    expect(await focused(app)).toContain("<img src=x");
    for (const name of ["<img src=x onerror=alert(1)>.txt", "a.txt"]) await press(app, `Remove ${name}`);
    expect(await app.view.getByLabel("Choose").evaluate((it) => it === document.activeElement)).toBe(true);
    expect([await rows(app), await status(app), await alert(app)]).toEqual([[], "", ""]);

    // A real drag of a file and a folder, as the system would deliver them.
    const [one, inner] = [join(folder, "one.txt"), join(folder, "photos.txt")];
    await Promise.all([writeFile(one, "one"), mkdir(inner)]);
    const box = await app.view.locator("label").boundingBox();
    const session = await app.page.context().newCDPSession(app.page);
    const drag = async (type: "dragEnter" | "dragOver" | "drop", files: string[]): Promise<void> => {
      const data = { items: [], files, dragOperationsMask: 1 };
      await session.send("Input.dispatchDragEvent", {
        type,
        x: (box?.x ?? 0) + 9,
        y: (box?.y ?? 0) + 9,
        data,
      });
    };
    await drag("dragEnter", [one, inner]);
    await drag("dragOver", [one, inner]);
    await expect.poll(() => app.view.locator("label.over").count()).toBe(1);
    await drag("drop", [one, inner]);
    await expect.poll(() => names(app)).toEqual(["one.txt"]);
    expect(await alert(app)).toBe("photos.txt is a folder.");
    expect(await app.view.locator("label.over").count()).toBe(0);
    await drag("dragEnter", [one]);
    await drag("drop", [one]);
    await expect.poll(() => alert(app)).toBe("one.txt is there already.");
    await app.view.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File(["pasted"], "pasted.txt"));
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
    });
    expect(await names(app)).toEqual(["one.txt", "pasted.txt"]);
    await press(app, "Upload");
    expect(await alert(app)).toBe("No tool takes files.");
    await app.close();
  });

  it("shows a tool's problems at their files; replaces the file if only one is allowed; can be cancelled", async () => {
    const tool = { name: "save", inputSchema: { type: "object" as const } };
    const problems = { "files.1.name": "Taken.", "files.10": "Not this one." };
    const app = await show(
      { cancelable: true, submitLabel: "Send them" },
      { tool, tools: { save: () => ({ ...failing("No."), _meta: { "vitrine/problems": problems } }) } },
    );
    await app.input({});
    await app.cancel("another idea");
    await expect.poll(() => app.text()).toContain("Cancelled: another idea");
    await choose(app, file("a.txt"), file("b.txt"));
    await press(app, "Send them");
    await expect.poll(() => alert(app)).toBe("No.");
    expect(await rows(app)).toEqual([
      "a.txt 5 bytes · text/plain Remove",
      "b.txt 5 bytes · text/plain Taken. Remove",
    ]);
    expect(await status(app)).toBe("");
    expect(await app.heard("model-context")).toEqual([]);
    await press(app, "Cancel");
    await expect
      .poll(() => app.heard("message"))
      .toMatchObject([{ content: [{ text: "Upload cancelled" }] }]);
    expect(await app.text()).toBe("Upload files Cancelled.");
    await app.close();

    const one = await show({ multiple: false }, { tool, data: { saved: 1 } });
    await expect.poll(() => status(one)).toBe("done");
    await choose(one, file("a.txt"));
    await choose(one, file("b.txt"));
    expect([await names(one), await alert(one)]).toEqual([["b.txt"], ""]);
    expect(await one.view.getByRole("button", { name: "Cancel" }).count()).toBe(0);
    await one.close();
  });

  it("sends each by itself: shows waiting and failed ones, retries, and stops on request", async () => {
    const answers: ((result: CallToolResult) => void)[] = [];
    const app = await show(
      { each: true, submitTool: "save", encoding: "text" },
      {
        result: failing("The disk is away."),
        tools: { save: () => new Promise((resolve) => answers.push(resolve)) },
      },
    );
    await expect.poll(() => alert(app)).toBe("The disk is away.");
    const answer = async (result: CallToolResult): Promise<void> => {
      await expect.poll(() => answers).toHaveLength(1);
      answers.pop()?.(result);
    };
    const states = async () => (await app.view.locator("li p").allTextContents()).join(" | ");
    const gone = join(folder, "gone.txt");
    await writeFile(gone, "gone");
    await app.view.getByLabel("Choose").setInputFiles([gone]);
    await choose(
      app,
      file("latin.txt", Buffer.from([0xe9, 0x20])),
      file("a.txt", "é"),
      file("b.txt"),
      file("c.txt"),
    );
    await rm(gone);
    await press(app, "Upload");
    await expect.poll(() => status(app)).toBe("Sending 3 of 5 …");
    const unread = "Cannot be read. Choose it again. | Not UTF-8 text.";
    expect(await states()).toBe(`${unread} | Sending … | Waiting | Waiting`);
    // Nothing can be added meanwhile.
    expect(await app.view.getByLabel("Choose").isDisabled()).toBe(true);
    await answer(said("Kept as 7."));
    await expect.poll(() => status(app)).toBe("Sending 4 of 5 …");
    await press(app, "Stop");
    expect(await status(app)).toBe("Stopping …");
    await answer({ ...failing("Wrong."), _meta: { "vitrine/problems": { "files.0.data": "Too short." } } });
    await expect.poll(() => status(app)).toBe("1 of 5 sent.");
    expect(await states()).toBe(`${unread} | Kept as 7. | Too short. | `);
    expect(await focused(app)).toBe("Upload");
    expect(app.calls.map((call) => call.arguments)).toEqual([
      { files: [{ name: "a.txt", type: "text/plain", size: 2, data: "é" }] },
      { files: [{ name: "b.txt", type: "text/plain", size: 5, data: "b.txt" }] },
    ]);
    await press(app, "Try again b.txt");
    await expect.poll(() => status(app)).toBe("Sending 1 of 1 …");
    expect(await focused(app)).toContain("b.txt");
    await answer(said("Kept as 8."));
    await expect.poll(() => status(app)).toBe("1 of 1 sent.");
    await expect.poll(() => app.heard("model-context")).toHaveLength(2);
    expect((await app.heard("model-context"))[1]).toMatchObject({
      structuredContent: { files: [{ name: "a.txt" }, { name: "b.txt" }] },
    });
    await app.close();
  });

  it.each([
    ["light", 900, "en"],
    ["dark", 320, "ar"],
  ] as const)("is for everybody: %s, %i px, %s", async (theme, width, locale) => {
    const config = { title: "Receipts", description: "Of your trip.", each: true, cancelable: true };
    const app = await show(
      { ...config, accept: [".txt", "image/*"], submitTool: "save" },
      {
        width,
        context: { theme, locale },
        tools: {
          save: ({ files }) =>
            JSON.stringify(files).includes("long") ? failing("It is too long.") : said(""),
        },
      },
    );
    await choose(app, file("a.txt"), file(`${"long".repeat(30)}.txt`), file("b.exe"));
    await app.expectAccessible();
    await press(app, "Upload");
    await expect.poll(() => app.text()).toContain("It is too long.");
    await choose(app, file("red.png", PICTURE, "image/png"), file("c.exe"));
    await app.expectAccessible();
    await app.expectNoOverflow();
    await app.close();
  });
});
