/** A call that waits for its conversation, and a gateway that comes back with another server of that name. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunningGateway } from "@vitrine/gateway";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startTestGateway } from "../../../../../testing/gateway/gateway-stage.js";
import { storageOf, undrawnDocument } from "../../../../../testing/workbench/conversation-stage.js";
import { connectPage, signIn } from "../../../../../testing/workbench/node-page.js";
import { STRICT } from "../profiles/profile.js";
import { Servers } from "../servers.js";
import { PageConversation } from "./conversation.js";

const MAIL = fileURLToPath(new URL("../../../../../testing/gateway/mail-server.mjs", import.meta.url));
let folder: string;
let gateway: RunningGateway | undefined;

/** Starts the gateway at the same address, with the server of this account. */
async function start(account: string): Promise<RunningGateway> {
  const places = gateway && {
    listen: { port: Number(new URL(gateway.origin).port) },
    sandbox: { port: gateway.sandboxPort },
  };
  const mail = { command: process.execPath, args: [MAIL, account], isolation: "process" };
  ({ gateway } = await startTestGateway({ ...places, mcpServers: { mail } }, folder));
  return gateway;
}

beforeAll(async () => {
  vi.stubGlobal("document", undrawnDocument);
  folder = await mkdtemp(join(tmpdir(), "vitrine-waiting-"));
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await gateway?.close();
  await rm(folder, { recursive: true, force: true });
});

it("attack E01: a call that waits for its conversation goes to the server that the user saw, or to none", async () => {
  const first = await start("ann");
  const page = connectPage(() => first.origin, await signIn(first.loginUrl()), storageOf(), {
    onask: async () => ({ answer: "allow" }),
    onstate: (state) => {
      if (state.phase === "open" && !state.resumed && servers?.isKnown)
        void Promise.all([servers.load(), conversation.reopen()]);
    },
  });
  const servers: Servers = new Servers(page);
  const conversation: PageConversation = new PageConversation({
    gateway: page,
    look: () => ({}),
    profile: () => STRICT,
    storage: storageOf(),
  });
  await Promise.all([servers.load(), conversation.restore()]);
  conversation.call("mail", "show", {}, false);
  await expect.poll(() => conversation.items.at(-1)).toMatchObject({ state: "done" });
  await first.close();
  void conversation.open();
  const call = conversation.call("mail", "send", { text: "for ann" }, false);
  await start("eve");
  await expect.poll(() => call.isOver).toBe(true);
  page.close();
  expect(call.problem).toContain("a different server");
  expect(call.result).toBeUndefined();
});
