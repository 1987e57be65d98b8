/** Servers whose tools are missing in a turn: a real gateway, with programs that hang and fail. */
import { performance } from "node:perf_hooks";
import type { ConversationState, NoteItem } from "@vitrine/wire";
import { afterAll, beforeAll, expect, it } from "vitest";
import { EntryPoints, type RawPage } from "../../../testing/gateway/entry-points.js";
import {
  callTool,
  type ScriptedModel,
  say,
  startScriptedModel,
} from "../../../testing/model/scripted-model.js";

let gatewayEntry: EntryPoints;
let model: ScriptedModel;
let page: RawPage;
beforeAll(async () => {
  model = await startScriptedModel();
  const providers = { local: { url: model.url, models: ["scripted"] } };
  const program = (script: string): object => ({ args: ["-e", script] });
  gatewayEntry = await EntryPoints.open(["ann"], {
    model: { use: "local/scripted", providers },
    more: {
      hangs: program("setInterval(() => {}, 1000)"),
      fails: program("console.error('no key is set'); process.exit(1)"),
    },
  });
  page = await gatewayEntry.page("ann", "websocket");
  // On a busy machine it may take longer to start than a turn waits.
  await page.request("gateway/catalogue", { server: "shop" });
});
afterAll(async () => {
  await gatewayEntry?.close();
  await model?.close();
});

it("servers that hang or fail are reported once, by name, and delay a conversation once", async () => {
  const { id } = await page.request("conversation/open", {});
  const state = (): Promise<ConversationState> => page.request("conversation/open", { id });
  const asked: number[] = [];
  const rounds = Array.from({ length: 4 }, (_, at) => () => {
    asked.push(performance.now());
    return callTool("shop__look", { at }, { id: `c${at}` });
  });
  model.add(...rounds, say("Done."));
  await page.request("conversation/send", { id, content: [{ type: "text", text: "look" }] });
  await expect.poll(async () => (await state()).isRunning).toBe(false);
  const { items } = await state();
  expect(items.at(-1)).toMatchObject({ kind: "model", text: "Done." });
  const notes = items.filter((item): item is NoteItem => item.kind === "note");
  expect(notes).toMatchObject([{ level: "warning", code: "tools-missing" }]);
  expect(notes[0]?.text).toMatch(/hangs \(no answer within 5 seconds\)/);
  expect(notes[0]?.text).toMatch(/fails \(.+\)/);
  // The tools of the working server were there.
  expect(items.filter(({ kind }) => kind === "call")).toHaveLength(4);
  // If every round waited, four rounds would take fifteen seconds longer.
  expect((asked[3] ?? Number.NaN) - (asked[0] ?? 0)).toBeLessThan(10_000);

  // The same in the next turn: nothing is reported again, and nothing waits five seconds again.
  const began = performance.now();
  const answered = new Promise<number>((resolve) => {
    model.add(() => {
      resolve(performance.now());
      return say("Again.");
    });
  });
  await page.request("conversation/send", { id, content: [{ type: "text", text: "once more" }] });
  expect((await answered) - began).toBeLessThan(4_000);
  await expect.poll(async () => (await state()).items.at(-1)).toMatchObject({ text: "Again." });
  expect((await state()).items.filter(({ kind }) => kind === "note")).toHaveLength(1);
});
