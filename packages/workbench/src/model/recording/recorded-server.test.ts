import { expect, it } from "vitest";
import { runOf } from "./recorded-run.js";
import { RecordedServer } from "./recorded-server.js";
import type { RecordedEvent } from "./recording.js";

const events: RecordedEvent[] = [
  {
    t: 0,
    d: "in",
    m: { id: 1, method: "tools/call", params: { name: "a", _meta: { progressToken: 7 } } },
  },
  { t: 1, d: "out", m: { method: "notifications/progress", params: { progressToken: 7, progress: 2 } } },
  { t: 2, d: "out", m: { id: 1, result: { content: [] } } },
  { t: 3, d: "in", m: { id: 2, method: "ui/open-link", params: { url: "https://example.com" } } },
  { t: 4, d: "out", m: { id: 2, error: { code: -32000, message: "no", data: { code: "denied" } } } },
  { t: 5, d: "in", m: { id: 3, method: "tools/call", params: { name: "b" } } },
];
const make = (): RecordedServer => new RecordedServer("shop", runOf(events), {});
const next = async (): Promise<never> => {
  throw new Error("it was done again");
};
const call = (method: "ui/open-link" | "ui/update-model-context", params: Record<string, unknown>) => ({
  view: "v",
  server: "shop",
  method,
  params,
});

it("answers when it is the answer's turn, after the recorded progress", async () => {
  const server = make();
  const heard: unknown[] = [];
  const answer = server
    .request("tools/call", { name: "a" }, { onprogress: ({ progress }) => heard.push(progress) })
    .then((result) => heard.push(result));
  server.reach(2);
  await Promise.resolve();
  expect(heard).toEqual([]);
  server.reach(3);
  await answer;
  expect(heard).toEqual([2, { content: [] }]);
});

it("reports requests that were never made, and requests that were never answered", async () => {
  const server = make();
  await expect(server.request("resources/read", { uri: "x://y" })).rejects.toThrow(
    "the recording has no answer to resources/read x://y: it was never asked",
  );
  await expect(server.request("tools/call", { name: "b" })).rejects.toThrow(
    "ends before tools/call b was answered",
  );
});

it("repeats no action of the host, and refuses recorded refusals", async () => {
  const server = make();
  server.reach(6);
  const link = server.guard(call("ui/open-link", { url: "https://example.com" }), next);
  await expect(link).rejects.toMatchObject({ code: -32000, message: "no", data: { code: "denied" } });
  await expect(server.guard(call("ui/update-model-context", {}), next)).rejects.toThrow("it was done again");
});

it("has the recorded capabilities", () => {
  expect(make().capabilities).toEqual({ tools: {} });
  expect(new RecordedServer("shop", [], { serverResources: { listChanged: true } }).capabilities).toEqual({
    resources: { listChanged: true, subscribe: false },
  });
});
