/** A server that takes the name of another one, in a real gateway with a data folder (attack E01). */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RunningGateway, readSettings } from "@vitrine/gateway";
import type { GatewayView } from "@vitrine/host/gateway";
import type { CallItem, OpenedView } from "@vitrine/wire";
import Libsql from "libsql";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { RawPage } from "../../../testing/gateway/entry-points.js";
import { startTestGateway } from "../../../testing/gateway/gateway-stage.js";
import { olderDatabase, writeOlderFolder } from "../../../testing/gateway/older-database.js";
import { storageOf } from "../../../testing/workbench/conversation-stage.js";
import { connectPage, signIn } from "../../../testing/workbench/node-page.js";
import { openStore } from "./store/open.js";

const MAIL = fileURLToPath(new URL("../../../testing/gateway/mail-server.mjs", import.meta.url));
/** Three servers that a settings file names `mail`. Their tools and pages are identical. */
const mail = (account: string) => ({
  mcpServers: { mail: { command: process.execPath, args: [MAIL, account], isolation: "process" } },
});

let folder: string;
let gateway: RunningGateway;
let page: RawPage;
let log: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-identity-"));
});
afterEach(async () => {
  await stop();
  await rm(folder, { recursive: true, force: true });
});

/** Starts the gateway with the same folder and the server of this account, and opens a page. */
async function start(account: string, settings: object = {}): Promise<void> {
  ({ gateway, log } = await startTestGateway({ ...mail(account), ...settings }, folder));
  page = new RawPage({ origin: gateway.origin, token: gateway.token ?? "", over: "websocket" });
  page.answer = () => ({ answer: "allow", remember: "always" });
}

async function stop(): Promise<void> {
  page?.close();
  await gateway?.close();
}

async function restart(account: string, settings?: object): Promise<void> {
  await stop();
  await start(account, settings);
}

/** Replaces the server by that of another account, while the gateway runs. */
async function update(account: string): Promise<void> {
  gateway.update(
    await readSettings({ listen: { port: 0 }, sandbox: { port: 0 }, dataFolder: folder, ...mail(account) }),
  );
}

const label = ({ place }: OpenedView): string | undefined =>
  /^http:\/\/v\.([a-z2-7]{26})\./.exec(place?.viewOrigin ?? "")?.[1];

const openInbox = (): Promise<OpenedView> => page.request("gateway/open", { server: "mail", tool: "show" });

/** The addresses of the gateway, for its replacement. */
const places = () => ({
  listen: { port: Number(new URL(gateway.origin).port) },
  sandbox: { port: gateway.sandboxPort },
});

/** A tab that reconnects by itself. */
async function openTab() {
  const tab = connectPage(() => gateway.origin, await signIn(gateway.loginUrl()), storageOf(), {
    onask: async () => ({ answer: "allow" }),
  });
  onTestFinished(() => tab.close());
  return tab;
}

const openInTab = async (): Promise<GatewayView> =>
  (await openTab()).openView({ server: "mail", tool: "show" });

/** An app sends a mail; returns the number of questions. */
async function send(): Promise<number> {
  const before = page.asked.length;
  const { view } = await openInbox();
  await page.ask(view, "tools/call", { name: "send", arguments: {} });
  return page.asked.length - before;
}

/** Makes a call in a new conversation; returns its location. */
async function converse(): Promise<{ conversation: string; item: string }> {
  const { id } = await page.request("conversation/open", {});
  const { item } = await page.request("conversation/call", {
    id,
    server: "mail",
    tool: "show",
    arguments: {},
  });
  await expect.poll(async () => (await page.request("conversation/open", { id })).isRunning).toBe(false);
  return { conversation: id, item };
}

const openCall = (call: { conversation: string; item: string }): Promise<OpenedView> =>
  page.request("gateway/open", { server: "mail", tool: "show", call });

const summary = async () => (await page.request("gateway/servers", {})).servers[0];

describe("attack E01: another server under a known name", () => {
  it("gets its own origin, new questions and no old results; the first server finds its own data again", async () => {
    await start("ann");
    const first = label(await openInbox());
    expect(await send()).toBe(1);
    expect(await send()).toBe(0);
    const call = await converse();
    expect(await openCall(call)).toMatchObject({ result: { _meta: { session: "secret of ann" } } });
    expect((await summary())?.notice).toBeUndefined();

    await restart("eve");
    const second = label(await openInbox());
    expect(second).toBeDefined();
    expect(second).not.toBe(first);
    expect(await send()).toBe(1);
    await expect(openCall(call)).rejects.toThrow(/a different server that was named "mail"/);
    // The user can still read the conversation.
    const { items } = await page.request("conversation/open", { id: call.conversation });
    expect((items[0] as CallItem).result).toMatchObject({ content: [{ text: "show for ann" }] });
    expect((await summary())?.notice).toMatch(/^"mail" is not the server that had this name before\. /);
    expect(log.join("")).toContain('\\"mail\\" is not the server that had this name before');

    await restart("ann");
    expect(label(await openInbox())).toBe(first);
    expect(await send()).toBe(0);
    expect(await openCall(call)).toMatchObject({ result: { _meta: { session: "secret of ann" } } });
    expect((await summary())?.notice).toMatch(/^"mail" is again a server that had this name earlier\. /);
    // Nothing has changed, so there is no notice.
    await restart("ann");
    expect((await summary())?.notice).toBeUndefined();
  });

  it("is recorded: rows contain the identity, and a mark records the takeover", async () => {
    await start("ann");
    await send();
    const ann = (await summary())?.identity;
    await restart("eve");
    await send();
    const eve = (await summary())?.identity;
    expect(ann).toMatch(/^[0-9a-f]{64}$/);
    expect(eve).not.toBe(ann);
    const rows = await gateway.api.audit.query({ user: "local" }, { server: "mail", method: "tools/call" });
    expect(rows.map(({ kind, identity }) => [kind, identity])).toEqual([
      ["entry", ann],
      ["outcome", ann],
      ["entry", eve],
      ["outcome", eve],
    ]);
    const eves = await gateway.api.audit.query({ user: "local" }, { identity: `${eve}` });
    expect(eves.map(({ method }) => method).toSorted()).toEqual([
      "gateway/policy",
      "tools/call",
      "tools/call",
    ]);
    expect(await gateway.api.audit.verify({ user: "local" })).toMatchObject({ ok: true });
    expect(await gateway.api.consents.list({ user: "local" })).toMatchObject([
      { identity: ann },
      { identity: eve },
    ]);
    // A single one can be revoked.
    expect(await gateway.api.consents.revoke({ user: "local" }, { server: "mail", identity: eve })).toBe(1);
    expect(await send()).toBe(1);
  });

  it("takes over nothing in a running gateway either: open apps stay with their server, and continue when it is back", async () => {
    await start("ann");
    const call = await converse();
    const { view } = await openCall(call);
    await page.ask(view, "tools/call", { name: "send", arguments: {} });
    await update("eve");
    await expect.poll(async () => (await summary())?.notice).toMatch(/is not the server/);
    // The open page is notified without a request.
    expect(page.notices("gateway/status").at(-1)).toMatchObject({ name: "mail", notice: expect.any(String) });
    await expect(page.ask(view, "tools/call", { name: "send", arguments: {} })).rejects.toThrow(
      /no longer exists/,
    );
    await expect(openCall(call)).rejects.toMatchObject({ data: { code: "server-replaced" } });
    expect(await send()).toBe(1);
    await update("ann");
    await page.ask(view, "tools/call", { name: "send", arguments: {} });
    expect(await openCall(call)).toMatchObject({ result: { _meta: { session: "secret of ann" } } });
  });

  it("is shown in pages: late messages of the previous server are not about this one", async () => {
    await start("ann");
    await send();
    await update("eve");
    const eve = (await summary())?.identity;
    await send();
    // The other program has ended by then.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const reported = page.notices("gateway/status").map((each) => Object(each).identity);
    expect(reported).toContain(eve);
    expect(new Set(reported.slice(reported.indexOf(eve)))).toEqual(new Set([eve]));
  });

  it("is announced at the first start with a page, however often the gateway was started without one", async () => {
    await start("ann");
    await stop();
    for (const _ of [1, 2]) {
      const unseen = await startTestGateway(mail("eve"), folder);
      expect(unseen.log.join("")).toContain("is not the server that had this name before");
      await unseen.gateway.close();
    }
    // Replaced back and forth: nobody has seen it yet.
    await (await startTestGateway(mail("ann"), folder)).gateway.close();
    await start("eve");
    expect((await summary())?.notice).toMatch(/is not the server/);
    const marks = async () => {
      await stop();
      const store = await openStore(`sqlite:${join(folder, "gateway.db")}`);
      const rows = await store.audit.query({ method: "server/replaced" });
      await store.close();
      return rows.map(({ reason }) => reason);
    };
    // Recorded once each.
    expect(await marks()).toEqual(["replaced", "back", "replaced"]);
    await start("eve");
    expect((await summary())?.notice).toBeUndefined();
  });

  it("is announced and recorded even if the database was not writable when it took the name", async () => {
    await start("ann");
    await openInbox();
    const lock = new Libsql(join(folder, "gateway.db"));
    lock.exec("begin immediate");
    await update("eve");
    await expect
      .poll(() => log.join(""), { timeout: 10_000 })
      .toContain("the identities of servers could not be stored");
    lock.exec("rollback");
    lock.close();
    await openInbox();
    await expect.poll(async () => (await summary())?.notice).toMatch(/is not the server/);
    expect(page.notices("gateway/status").at(-1)).toMatchObject({ notice: expect.any(String) });
    await stop();
    const store = await openStore(`sqlite:${join(folder, "gateway.db")}`);
    expect(await store.audit.query({ method: "server/replaced" })).toHaveLength(1);
    await store.close();
  });

  it("is not shown with the catalogue of the first server, if that answers late", async () => {
    await start("slow");
    await page.request("gateway/start", { server: "mail" });
    const read = page.request("gateway/catalogue", { server: "mail" });
    // The request is on its way to the first server.
    await page.request("gateway/servers", {});
    await update("eve");
    expect((await read).tools.map(({ name }) => name)).toEqual(["show", "send"]);
  });

  it("does not get a call that was on its way to the first server", async () => {
    await start("slow");
    await page.request("gateway/start", { server: "mail" });
    const { id } = await page.request("conversation/open", {});
    const wanted = { id, server: "mail", tool: "show", arguments: {} };
    await page.request("conversation/call", wanted);
    await update("eve");
    const state = () => page.request("conversation/open", { id });
    await expect.poll(async () => (await state()).isRunning, { timeout: 10_000 }).toBe(false);
    expect((await state()).items).toMatchObject([
      { state: "failed", problem: expect.stringContaining('a different server that was named "mail"') },
    ]);
  });

  it("is recognized without questions: with trusted and with strict settings", async () => {
    for (const strict of [false, true]) {
      const more = { strict, dataFolder: join(folder, `${strict}`) };
      await start("ann", more);
      const first = label(await openInbox());
      const call = await converse();
      await restart("eve", more);
      expect(label(await openInbox())).not.toBe(first);
      await expect(openCall(call)).rejects.toMatchObject({ data: { code: "server-replaced" } });
      await stop();
    }
  });

  it("does not get calls of a view that was open when the gateway was restarted", async () => {
    await start("ann");
    const view = await openInTab();
    let reason = "";
    view.onclosed = (why) => {
      reason = why;
    };
    await restart("eve", places());
    await expect(view.upstream.request("tools/call", { name: "send", arguments: {} })).rejects.toThrow(
      /a different server that was named "mail"/,
    );
    expect(reason).toMatch(/a different server that was named "mail"/);
    const eve = (await summary())?.identity;
    expect(
      await gateway.api.audit.query({ user: "local" }, { identity: `${eve}`, method: "tools/call" }),
    ).toEqual([]);
  });

  it.each([false, true])(
    "does not get calls that a page made for the first server while the gateway was stopped",
    async (isRestarted) => {
      await start("ann");
      const tab = await openTab();
      await tab.request("gateway/servers", {});
      if (isRestarted) {
        // `vitrine dev` restarts a server whenever one of its files changes.
        const changed = new Promise<void>((resolve) => void tab.on("gateway/changed", () => resolve()));
        await tab.request("gateway/start", { server: "mail" });
        await gateway.restart("mail");
        await changed;
      }
      const { id } = await tab.request("conversation/open", {});
      await tab.request("conversation/call", { id, server: "mail", tool: "show", arguments: {} });
      await expect.poll(async () => (await tab.request("conversation/open", { id })).isRunning).toBe(false);
      const again = places();
      await stop();
      const call = tab.request("gateway/call", { server: "mail", name: "send", arguments: {} });
      const opened = tab.openView({ server: "mail", tool: "show", arguments: {} });
      const entry = tab.request("conversation/call", { id, server: "mail", tool: "show", arguments: {} });
      await start("eve", again);
      const replaced = { data: { code: "server-replaced" } };
      await expect(call).rejects.toMatchObject(replaced);
      await expect(opened).rejects.toMatchObject(replaced);
      await entry;
      await expect
        .poll(async () => (await tab.request("conversation/open", { id })).items)
        .toMatchObject([
          { state: "done" },
          { state: "failed", problem: expect.stringContaining("a different server") },
        ]);
      // A call that the page makes for the server that it sees now.
      await tab.request("gateway/servers", {});
      expect(
        await tab.request("gateway/call", { server: "mail", name: "show", arguments: {} }),
      ).toMatchObject({
        content: [{ text: "show for eve" }],
      });
    },
  );

  it("keeps the views that were open when the gateway was restarted with the same server", async () => {
    await start("ann");
    const view = await openInTab();
    await restart("ann", places());
    const sent = await view.upstream.request("tools/call", { name: "send", arguments: {} });
    expect(sent).toMatchObject({ content: [{ text: "send for ann" }] });
  });

  it("does not get a call that was made for the other server, even with its key", async () => {
    await start("ann");
    const key = `${page.nonce}.1000`;
    const call = { server: "mail", name: "show", arguments: {} };
    expect(await page.ask(".", "gateway/call", call, key)).toMatchObject({
      _meta: { session: "secret of ann" },
    });
    await update("eve");
    await expect(page.ask(".", "gateway/call", call, key)).rejects.toMatchObject({
      data: { code: "indeterminate" },
    });
  });
});

describe("a data folder from before identities existed", () => {
  it("stays with the server that has the name now: origin and conversations; another server gets nothing", async () => {
    const older = await olderDatabase();
    const { conversation, item, viewOrigin } = older.about;
    const call = { conversation, item };
    await writeOlderFolder(folder, older);
    await start("ann");
    expect((await summary())?.notice).toBeUndefined();
    // It does not inherit silently: there is a log line, and a mark in the audit log (below).
    expect(log.join("")).toContain('\\"mail\\" gets the data that was stored under this name before');
    const heir = (await summary())?.identity;
    const first = label(await openInbox());
    expect(viewOrigin).toContain(`.${first}.`);
    // Its answers about tools do not say whether an app or the model asked.
    expect(await send()).toBe(1);
    expect(await openCall(call)).toMatchObject({ result: { _meta: { session: "secret of ann" } } });

    await restart("eve");
    expect(label(await openInbox())).not.toBe(first);
    expect(await send()).toBe(1);
    await expect(openCall(call)).rejects.toMatchObject({ data: { code: "server-replaced" } });
    expect((await summary())?.notice).toMatch(/is not the server/);

    await restart("ann");
    expect(label(await openInbox())).toBe(first);
    expect(await send()).toBe(0);
    expect(await openCall(call)).toMatchObject({ result: { _meta: { session: "secret of ann" } } });
    await stop();
    const store = await openStore(`sqlite:${join(folder, "gateway.db")}`);
    const marks = await store.audit.query({ method: "server/inherited" });
    expect(marks).toMatchObject([{ server: "mail", identity: heir }]);
    await store.close();
  });

  it("keeps its origins: a gateway with another database has its own", async () => {
    const older = await olderDatabase();
    await writeOlderFolder(folder, older);
    await start("eve", { database: `sqlite:${join(folder, "other.db")}` });
    expect(older.about.viewOrigin).not.toContain(`.${label(await openInbox())}.`);
  });
});
