import type { Server, ServerNotice } from "@vitrine/servers";
import type { GatewayNotices } from "@vitrine/wire";
import { expect, it } from "vitest";
import type { GuardedServer } from "../guard/guarded-servers.js";
import { InspectedServers } from "./inspected-servers.js";

type Tell = (method: ServerNotice, params: Record<string, unknown>) => void;

/** Watches a server whose notifications the test makes, for a page that reads slowly or not. */
function watch() {
  let tell: Tell = () => {};
  const sent: { method: string; params: GatewayNotices[keyof GatewayNotices] }[] = [];
  const page = { isSlow: false };
  const server = {
    settings: { name: "x" },
    upstream: { listen: () => () => {} },
    onNotice: (listener: Tell) => {
      tell = listener;
      return () => {};
    },
  } as unknown as Server;
  const at = { server, guard: { originOf: () => undefined } } as unknown as GuardedServer;
  const servers = new InspectedServers({
    server: () => at,
    notify: () => {
      throw new Error("this may be kept without a bound");
    },
    send: (method, params) => void sent.push({ method, params }),
    isCongested: () => page.isSlow,
    fields: () => ["password"],
    isShared: () => false,
    onerror: () => {},
  });
  servers.watch(at, false);
  return { tell: ((method, params) => tell(method, params)) as Tell, sent, page, servers };
}

it("keeps a bounded number of tasks for a page that does not read", () => {
  const { tell, sent, page, servers } = watch();
  page.isSlow = true;
  const statusMessage = "m".repeat(10_000);
  for (let n = 0; n < 5000; n++)
    tell("notifications/tasks/status", { taskId: `t${n}`, status: "working", statusMessage });
  page.isSlow = false;
  servers.resume();
  expect(JSON.stringify(sent).length).toBeLessThan(700_000);
  expect(sent.at(-1)).toMatchObject({ method: "gateway/task", params: { task: { taskId: "t4999" } } });
  servers.end();
});

it("masks the secrets in log lines, also within JSON", () => {
  const { tell, sent, servers } = watch();
  const data = { user: "ann", password: "hunter2", body: '{"password":"hunter2"}' };
  tell("notifications/message", { level: "info", data });
  tell("notifications/message", { level: "info", data: "a line" });
  servers.resume();
  expect(sent).toMatchObject([
    {
      method: "gateway/log",
      params: {
        lines: [
          { data: { user: "ann", password: "[redacted]", body: '{"password":"[redacted]"}' } },
          { data: "a line" },
        ],
      },
    },
  ]);
  servers.end();
});
