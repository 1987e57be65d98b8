import type { Server, ServerStatus } from "@vitrine/servers";
import { expect, it } from "vitest";
import { createLog } from "../http/logging.js";
import { logStarts } from "./notes.js";

it("reports each failure of a start once, with its own problem", () => {
  const logged: string[] = [];
  const log = createLog({ stream: { write: (line) => void logged.push(JSON.parse(line).msg) } });
  let notify: (status: ServerStatus) => void = () => {};
  const server: Pick<Server, "onStatus"> = {
    onStatus: (listener) => {
      notify = listener;
      return () => {};
    },
  };
  logStarts(server, "local", log);
  const problem = (message: string) => ({ code: "server-failed", message });
  const [first, second] = [problem("one"), problem("two")];
  const statuses: Pick<ServerStatus, "state" | "starts" | "problem">[] = [
    { state: "starting", starts: 1 },
    { state: "waiting", starts: 1, problem: first },
    { state: "idle", starts: 1, problem: first },
    // During the restart, the problem is still the previous one.
    { state: "starting", starts: 2, problem: first },
    { state: "waiting", starts: 2, problem: second },
    { state: "starting", starts: 3, problem: second },
    { state: "ready", starts: 3 },
  ];
  for (const status of statuses) notify({ name: "shop", capabilities: {}, ...status });
  expect(logged).toEqual(["server failed: one", "server failed: two", "server started"]);
});
