import { expect, it } from "vitest";
import { AppLog } from "../app/app-log.js";
import { eventsOf } from "./recorder.js";

it("omits console output of an app, and log lines that are messages as well", () => {
  const log = new AppLog(() => 0);
  const params = { level: "info", data: "hidden" };
  log.add({ direction: "in", message: { jsonrpc: "2.0", method: "notifications/message", params } });
  log.line({ level: "info", from: "log", text: "hidden" });
  log.report({ code: "console", by: "view", level: "log", text: "hidden" });
  log.report({ code: "script-error", by: "view", message: "thrown" });
  log.line({ level: "warning", from: "host", text: "noticed" });
  expect(eventsOf(log)).toEqual([
    expect.objectContaining({ d: "in", m: expect.objectContaining({ params }) }),
    { t: 0, line: { level: "error", from: "script", text: "thrown" } },
    { t: 0, line: { level: "warning", from: "host", text: "noticed" } },
  ]);
});
