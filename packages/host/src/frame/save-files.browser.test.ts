/** Files that an app saves are really on the disk. */
import { readFile } from "node:fs/promises";
import type { Download, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fakeUpstream } from "../../../../testing/fake-upstream.ts";
import { HostStage } from "../../../../testing/host/host-stage.ts";
import { type RawView, rawView } from "../../../../testing/host/raw-view.ts";

declare const raw: RawView;

const BYTES = [0, 255, 128, 10, 13];
let stage: HostStage;
let page: Page;
beforeAll(async () => {
  stage = await HostStage.open();
  const upstream = fakeUpstream(
    {
      "resources/list": () => ({ resources: [{ uri: "note://1", name: "one" }] }),
      "resources/read": () => ({
        contents: [{ uri: "note://1", blob: btoa(String.fromCharCode(...BYTES)) }],
      }),
    },
    "saver",
  );
  await stage.serve("saver", { html: rawView(), upstream });
});
afterAll(() => stage.close());
beforeEach(async () => {
  page = await stage.openPage();
});
afterEach(() => page.close());

const save = async (contents: object[]): Promise<unknown> => {
  const view = await stage.mount(page, "saver", { consent: "allow", saves: true });
  return view.evaluate(
    (all) => raw.ask("ui/download-file", { contents: all }).catch(({ message, data }) => ({ message, data })),
    contents,
  );
};
const bytesOf = async (download: Download): Promise<number[]> => [...(await readFile(await download.path()))];

describe("ui/download-file", () => {
  it("I10: a file that the app has is saved under a safe name", async () => {
    const coming = page.waitForEvent("download");
    const resource = { uri: "file:///../../report.csv", mimeType: "text/html", text: "a,ä" };
    expect(await save([{ type: "resource", resource }])).toEqual({});
    const download = await coming;
    expect(download.suggestedFilename()).toBe("report.csv");
    expect(await bytesOf(download)).toEqual([...new TextEncoder().encode("a,ä")]);
  });

  it("I10, D23: a file that its server has is read there, byte by byte", async () => {
    const coming = page.waitForEvent("download");
    expect(await save([{ type: "resource_link", uri: "note://1", name: "note.bin" }])).toEqual({});
    const download = await coming;
    expect(download.suggestedFilename()).toBe("note.bin");
    expect(await bytesOf(download)).toEqual(BYTES);
  });

  it("a file that cannot be saved is not reported as saved", async () => {
    const contents = [
      { type: "resource", resource: { uri: "file:///good.txt", text: "good" } },
      { type: "resource", resource: { uri: "file:///bad.bin", blob: "no base64!" } },
    ];
    const downloads: Download[] = [];
    page.on("download", (download) => downloads.push(download));
    expect(await save(contents)).toMatchObject({ data: { code: "base64-invalid" } });
    expect(downloads).toEqual([]);
  });
});
