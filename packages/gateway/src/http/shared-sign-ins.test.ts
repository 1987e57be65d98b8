/** Links and signed-in browsers of a gateway with several nodes. */
import { createHash, randomBytes } from "node:crypto";
import { connect } from "node:net";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { openStage } from "../../../../testing/gateway/http-stage.js";
import { startNodesDatabase } from "../../../../testing/gateway/shared-nodes.js";
import type { QueryEngine } from "../store/engine.js";
import { SharedChanges } from "../store/shared/changes.js";
import { StoredSignIns } from "../store/shared/stored-sign-ins.js";
import { Authentication, type AuthenticationOptions } from "./auth.js";
import { SharedBrowsers } from "./shared-browsers.js";

const { nodesOn, postgres } = await startNodesDatabase();

afterAll(() => postgres?.remove(), 60_000);
const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const users = [
  { name: "ann", tokenHash: digest("ann's-token") },
  { name: "bob", tokenHash: digest("bob's token") },
];
const key = randomBytes(32).toString("hex");
const SOON = { timeout: 3000, interval: 20 };

/** Counts the statements of a node. */
function counted(engine: QueryEngine) {
  const count = { reads: 0, changes: 0, fails: false };
  const db = new Proxy(engine.db, {
    get: (target, name) => {
      if (name === "selectFrom") {
        count.reads++;
        if (count.fails) throw new Error("cut off");
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const wrapped: QueryEngine = {
    kind: engine.kind,
    db,
    isBusy: () => false,
    change: (queries) => {
      count.changes++;
      if (count.fails) throw new Error("cut off");
      return engine.change(queries);
    },
  };
  return { count, engine: wrapped };
}

async function makeNode(own: QueryEngine, options: AuthenticationOptions = {}, interval = 50) {
  const { count, engine } = counted(own);
  const errors: unknown[] = [];
  const onerror = (error: unknown) => errors.push(error);
  // Its reads are not counted.
  const changes = await SharedChanges.open(own, { onerror, interval });
  open.push(() => changes.close());
  const signIns = new StoredSignIns(engine, changes, key);
  const auth = new Authentication({ users, shared: signIns, onerror, ...options });
  const ended: string[] = [];
  auth.onSignOut((browser) => ended.push(browser));
  const userOf = async (value: string): Promise<string | undefined> => {
    await auth.recognize(`x=1; vitrine=${value}`, "vitrine");
    return auth.browserOf(`x=1; vitrine=${value}`, "vitrine")?.caller.user;
  };
  const signedIn = async (user = "ann") => (await auth.enter(await auth.sharedLink(user), "::1")).cookie;
  return { auth, changes, count, ended, engine: own, errors, signIns, signedIn, userOf };
}

describe.each(nodesOn(open))("sign-ins of nodes on %s", (kind, twoNodes) => {
  const setUp = async (options?: AuthenticationOptions) => {
    const [a, b] = await twoNodes();
    return [await makeNode(a, options), await makeNode(b, options)] as const;
  };

  it("a link of one node works on another, exactly once", async () => {
    const [a, b] = await setUp();
    const code = await a.auth.sharedLink("ann", { fragment: "conversation=7" });
    const tries = [b, a, b, a, b, a].map((node) =>
      node.auth.enter(code, "::1").then(
        (entered) => entered,
        (error: unknown) => error,
      ),
    );
    const all = await Promise.all(tries);
    const entered = all.filter((each) => !(each instanceof Error));
    expect(entered).toHaveLength(1);
    expect(entered[0]).toMatchObject({ fragment: "conversation=7" });
    for (const each of all) if (each instanceof Error) expect(String(each)).toMatch(/was used already/);
    const { cookie } = Object(entered[0]);
    expect([await a.userOf(cookie), await b.userOf(cookie)]).toEqual(["ann", "ann"]);
    // The database contains no value that signs anybody in.
    const rows = JSON.stringify(await a.engine.db.selectFrom("vitrine_browsers").selectAll().execute());
    expect(rows).not.toContain(cookie);
    expect([...a.errors, ...b.errors]).toEqual([]);
  });

  it("a link that was not yet stored works on its own node", async () => {
    const [a] = await setUp();
    const used = vi.fn();
    const code = a.auth.link("ann", { onused: used });
    expect((await a.auth.enter(code, "::1")).cookie).toHaveLength(65);
    expect(used).toHaveBeenCalledOnce();
  });

  it("links expire by the database's clock; those of pages are the only ones that another site may lead to", async () => {
    const [a, b] = await setUp({ users, linkLifetime: 300_000 });
    const [plain, led] = [await a.auth.sharedLink("ann"), await a.auth.sharedLink("ann", { arrival: true })];
    await expect(b.auth.enter(plain, "::1", true)).rejects.toMatchObject({ code: "cross-site" });
    await expect(b.auth.enter("guess", "::1", true)).rejects.toMatchObject({ code: "cross-site" });
    await b.auth.enter(plain, "::1");
    await b.auth.enter(led, "::1", true);
    const late = await a.auth.sharedLink("ann");
    await a.engine.db.updateTable("vitrine_links").set({ until: 1 }).execute();
    await expect(b.auth.enter(late, "::1")).rejects.toThrow(/has expired/);
  });

  it("keeps only the newest hundred links of a user", async () => {
    const [a] = await setUp();
    const first = await a.auth.sharedLink("bob");
    for (let n = 0; n < 102; n++)
      await a.signIns.addLink(
        `link ${n}`,
        { user: "ann", credential: "c", arrival: false, fragment: undefined },
        100_000 + n,
      );
    const links = await a.engine.db.selectFrom("vitrine_links").select(["id", "user"]).execute();
    expect(links.filter(({ user }) => user === "ann")).toHaveLength(100);
    expect(links.map(({ id }) => id)).not.toContain("link 0");
    await a.auth.enter(first, "::1");
  });

  it("a sign-out ends the browser on every node, and closes its connections there", async () => {
    const [a, b] = await setUp();
    const [value, other] = [await a.signedIn(), await a.signedIn()];
    expect([await b.userOf(value), await b.userOf(other)]).toEqual(["ann", "ann"]);
    const { browser = "" } = a.auth.browserOf(`vitrine=${value}`, "vitrine") ?? {};
    await a.auth.signOut(browser);
    expect(await a.userOf(value)).toBeUndefined();
    await vi.waitFor(() => expect(b.ended).toContain(browser), SOON);
    expect(await b.userOf(value)).toBeUndefined();
    expect(await b.userOf(other)).toBe("ann");
  });

  it("a sign-out while a node looks the browser up wins", async () => {
    const [a, b] = await setUp();
    const value = await a.signedIn();
    const { browser = "" } = a.auth.browserOf(`vitrine=${value}`, "vitrine") ?? {};
    const read = b.signIns.browser.bind(b.signIns);
    vi.spyOn(b.signIns, "browser").mockImplementationOnce(async (id, idle) => {
      const found = await read(id, idle);
      await a.auth.signOut(browser);
      await b.changes.read();
      return found;
    });
    expect(await b.userOf(value)).toBeUndefined();
    expect(await b.userOf(value)).toBeUndefined();
  });

  it("a sign-out at a node that is looking the browser up wins at once", async () => {
    const [a, b] = await setUp();
    const value = await a.signedIn();
    const { browser = "" } = a.auth.browserOf(`vitrine=${value}`, "vitrine") ?? {};
    const read = b.signIns.browser.bind(b.signIns);
    vi.spyOn(b.signIns, "browser").mockImplementationOnce(async (id, idle) => {
      const found = await read(id, idle);
      void b.auth.signOut(browser)?.catch((error: unknown) => b.errors.push(error));
      return found;
    });
    expect(await b.userOf(value)).toBeUndefined();
    expect(b.errors).toEqual([]);
  });

  it("a used browser stays signed in on nodes that did not see it for long", async () => {
    const clock = { time: 0 };
    const HOUR = 3_600_000;
    const [a, b] = await setUp({ users, now: () => clock.time });
    const value = await a.signedIn();
    await b.userOf(value);
    // In use on the first node, for longer than a browser may be idle.
    clock.time += 13 * HOUR;
    await a.engine.db
      .updateTable("vitrine_browsers")
      .set(({ eb }) => ({ until: eb("until", "-", 13 * HOUR) }))
      .execute();
    expect(await b.userOf(value)).toBe("ann");
    expect(b.ended).toEqual([]);
    // And now nowhere.
    clock.time += 13 * HOUR;
    await a.engine.db
      .updateTable("vitrine_browsers")
      .set(({ eb }) => ({ usedAt: eb("usedAt", "-", 13 * HOUR) }))
      .execute();
    expect(await b.userOf(value)).toBeUndefined();
    expect(b.ended).toHaveLength(1);
  });

  it("stores use at most every ten minutes for each browser", async () => {
    const clock = { time: 0 };
    const [a] = await setUp({ users, now: () => clock.time });
    const value = await a.signedIn();
    const before = a.count.changes;
    for (let second = 0; second < 3600; second += 10) {
      clock.time += 10_000;
      await a.userOf(value);
    }
    expect(a.count.changes - before).toBe(6);
  });

  it("attack: cookies that no node made cost no query, and one that ended costs a single one", async () => {
    const [a, b] = await setUp();
    const value = await a.signedIn();
    const { browser = "" } = a.auth.browserOf(`vitrine=${value}`, "vitrine") ?? {};
    const before = b.count.reads;
    for (let n = 0; n < 200; n++) {
      expect(await b.userOf(randomBytes(32).toString("base64url"))).toBeUndefined();
      expect(await b.userOf(value.slice(0, 64) + (value.endsWith("A") ? "B" : "A"))).toBeUndefined();
    }
    await expect(b.auth.enter(value.slice(0, 43) + value.slice(0, 22), "::1")).rejects.toThrow(
      /used already/,
    );
    expect(b.count.reads).toBe(before);
    await a.auth.signOut(browser);
    for (let n = 0; n < 50; n++) expect(await b.userOf(value)).toBeUndefined();
    expect(b.count.reads).toBeLessThanOrEqual(before + 1);
  });

  it("known cookies need no query, and simultaneous requests of a new one share it", async () => {
    const [a, b] = await setUp();
    const value = await a.signedIn();
    const before = b.count.reads;
    const found = await Promise.all(Array.from({ length: 50 }, () => b.userOf(value)));
    expect(new Set(found)).toEqual(new Set(["ann"]));
    expect(b.auth.recognize(`vitrine=${value}`, "vitrine")).toBeUndefined();
    expect(b.count.reads).toBe(before + 1);
  });

  it("a node that is cut off from the database trusts its memory for ten seconds, and catches up later", async () => {
    const [a, b] = await setUp();
    const value = await a.signedIn();
    expect(await b.userOf(value)).toBe("ann");
    const isCurrent = vi.spyOn(b.signIns, "isCurrent", "get").mockReturnValue(false);
    b.count.fails = true;
    await expect(b.userOf(value)).rejects.toThrow(/database does not answer/);
    b.count.fails = false;
    isCurrent.mockRestore();
    expect(await b.userOf(value)).toBe("ann");
  });

  it("a removed user, or one with a new token, is signed out of every node", async () => {
    const [a, b] = await setUp();
    const [ann, bob] = [await a.signedIn("ann"), await a.signedIn("bob")];
    expect([await b.userOf(ann), await b.userOf(bob)]).toEqual(["ann", "bob"]);
    const changed = [{ name: "ann", tokenHash: digest("another") }, ...users.slice(1)];
    a.auth.setUsers(changed);
    await vi.waitFor(() => expect(b.ended).toHaveLength(1), SOON);
    expect([await b.userOf(ann), await b.userOf(bob)]).toEqual([undefined, "bob"]);
    // A node whose settings are older does not accept a sign-in of the new token, and does not end it either.
    const later = await a.signedIn("ann");
    expect([await b.userOf(later), await a.userOf(later)]).toEqual([undefined, "ann"]);
  });

  it.runIf(kind === "PostgreSQL")("works over HTTP: link, cookie, sign-out, on different nodes", async () => {
    const [a, b] = await twoNodes();
    const nodes = [await makeNode(a), await makeNode(b)];
    const stages = await Promise.all(
      nodes.map(({ signIns }) =>
        openStage({ users: { users, shared: signIns }, origin: "https://gateway.example" }),
      ),
    );
    for (const { listener } of stages) open.push(() => listener.close(0));
    const [one, two] = stages;
    if (!one || !two) throw new Error("no stages");
    const browser = {
      host: "gateway.example",
      origin: "https://gateway.example",
      "content-type": "application/json",
    };
    const link = await one.ask("/api/login-link", {
      method: "POST",
      headers: { ...browser, authorization: "Bearer ann's-token" },
      body: "{}",
    });
    const { pathname, search } = new URL(JSON.parse(link.text).url);
    const login = await two.ask(pathname + search, { headers: { host: "gateway.example" } });
    expect(login.status).toBe(303);
    const cookie = `${login.headers["set-cookie"]}`.split(";")[0];
    for (const stage of stages)
      expect((await stage.ask("/api/servers", { headers: { host: "gateway.example", cookie } })).status).toBe(
        200,
      );
    const upgrade = { ...browser, cookie, connection: "upgrade", upgrade: "websocket" };
    expect(await two.upgrade({ ...upgrade, "content-type": undefined })).toBe(101);
    const out = await one.ask("/logout", { method: "POST", headers: { ...browser, cookie }, body: "{}" });
    expect(out.status).toBe(200);
    await vi.waitFor(async () => {
      const { status } = await two.ask("/api/servers", { headers: { host: "gateway.example", cookie } });
      expect(status).toBe(401);
    }, SOON);
  });
});

describe("a caller that leaves while its browser is looked up", () => {
  it.each(["request", "upgrade"])("does not hold up the end of the listener: %s", async (kind) => {
    const [, twoNodes] = nodesOn(open)[0] ?? [];
    const [engine] = (await twoNodes?.()) ?? [];
    if (!engine) throw new Error("no database");
    const { signIns } = await makeNode(engine);
    let release = (): void => {};
    const held = new Promise<undefined>((resolve) => {
      release = () => resolve(undefined);
    });
    const lookup = vi.spyOn(signIns, "browser").mockReturnValue(held);
    const { listener } = await openStage({ users: { users, shared: signIns } });
    const socket = connect(listener.port, "127.0.0.1");
    const upgrade = kind === "upgrade" ? "Connection: Upgrade\r\nUpgrade: websocket\r\n" : "";
    const path = kind === "upgrade" ? "/api/socket" : "/healthz";
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${listener.port}\r\nOrigin: ${listener.origin}\r\n${upgrade}` +
        `Cookie: vitrine-${listener.port}=${signIns.mint()}\r\n\r\n`,
    );
    await vi.waitFor(() => expect(lookup).toHaveBeenCalled());
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 100));
    release();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const began = performance.now();
    await listener.close(10_000);
    expect(performance.now() - began).toBeLessThan(5000);
  });
});

describe("lookups of browsers", () => {
  it("are bounded: a few at a time, and a thousand that wait", async () => {
    let running = 0;
    let most = 0;
    const release: (() => void)[] = [];
    const lookups = new SharedBrowsers(
      {
        isCurrent: true,
        browser: async () => {
          most = Math.max(most, ++running);
          await new Promise<void>((resolve) => release.push(resolve));
          running--;
          return undefined;
        },
      },
      1000,
    );
    const all = Array.from({ length: 1100 }, (_, n) =>
      lookups.find(`browser ${n}`).then(() => "found", String),
    );
    const results = Promise.all(all);
    for (let n = 0; n < 1100; n++) {
      await new Promise(setImmediate);
      for (const each of release.splice(0)) each();
    }
    expect((await results).filter((each) => each !== "found")).toHaveLength(96);
    expect(most).toBe(4);
    expect(lookups.mayExist("browser 1")).toBe(false);
  });
});
