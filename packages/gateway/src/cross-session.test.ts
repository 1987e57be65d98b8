/**
 * Isolation between users: many users with many pages and views, over both transports, at their own servers
 * and at a shared one. Whatever they do in any order, everybody gets only their own answers.
 */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  EntryPoints,
  type PageStorage,
  type RawPage,
  TRANSPORTS,
} from "../../../testing/gateway/entry-points.js";

type Over = (typeof TRANSPORTS)[number];

const USERS = ["ann", "bea", "cal"] as const;
const SERVERS = ["shop", "common"] as const;
const quick = {
  limits: {
    rates: { call: { burst: 100_000, perSecond: 100_000 } },
    concurrency: { perView: 64, total: 1000, waiting: 1000 },
  },
};

let gatewayEntry: EntryPoints;
let tabs: Tab[];
/** The process that answered each user, by server: the first one must stay the same. */
const instances = new Map<string, string>();
let tokens = 0;

/** A tab of a user: its page may be reloaded, and its views survive. */
class Tab {
  readonly user: string;
  readonly over: Over;
  page: RawPage;
  /** Its views, and their servers. */
  readonly views = new Map<string, string>();
  /** All request ids of this tab, with their channels: answers must arrive there. */
  readonly asked = new Map<string, string>();

  constructor(user: string, over: Over, page: RawPage) {
    this.user = user;
    this.over = over;
    this.page = page;
  }

  static open = async (user: string, over: Over) => new Tab(user, over, await gatewayEntry.page(user, over));

  async openView(server: string): Promise<void> {
    const { view } = await this.page.request("gateway/open", { server, tool: "show" });
    this.views.set(view, server);
  }

  /** Calls a tool, and checks the process and the arguments in the answer. */
  async call(channel: string, id = this.page.nextId()): Promise<void> {
    const { page } = this;
    const server = this.views.get(channel);
    const token = `${this.user} ${++tokens}`;
    this.asked.set(id, channel);
    const input = { token, pause: (tokens * 7) % 12 };
    const answer = await page.ask(channel, "tools/call", { name: "look", arguments: input }, id);
    const { instance, got } = readAnswer(answer);
    expect(got).toEqual(input);
    const whose = `${server} ${server === "common" ? "" : this.user}`;
    expect(instance).toBe(instances.get(whose) ?? instance);
    instances.set(whose, instance);
  }

  async closeView(view: string): Promise<void> {
    await this.page.closeView(view);
    this.views.delete(view);
  }

  async reload(): Promise<void> {
    const storage = this.page.storage.copy();
    this.#look();
    this.page.leave();
    this.page = await gatewayEntry.page(this.user, this.over, storage);
    const { views } = await this.page.request("gateway/views", {});
    expect(views.map(({ view }) => view).sort()).toEqual([...this.views.keys()].sort());
  }

  /** Late answers to requests that were cancelled or sent before a reload must still belong to this tab. */
  #look(): void {
    for (const { channel, message } of this.page.stray)
      expect(this.asked.get(`${message["id"]}`), JSON.stringify(message)).toBe(channel);
    for (const { channel, message } of this.page.heard)
      if (channel !== ".") expect([...this.asked.values()], JSON.stringify(message)).toContain(channel);
  }

  async clear(): Promise<void> {
    await Promise.all([...this.views.keys()].map((view) => this.closeView(view)));
    this.#look();
  }
}

const readAnswer = (answer: unknown): { instance: string; got: unknown } => {
  const { content } = answer as { content: [{ text: string }] };
  return JSON.parse(content[0].text);
};

beforeAll(async () => {
  gatewayEntry = await EntryPoints.open(USERS, {
    shop: quick,
    more: { common: { ...quick, stateless: true } },
    session: { perUser: 1000, grace: 600_000 },
  });
  const all = USERS.flatMap((user) => TRANSPORTS.map((over) => Tab.open(user, over)));
  tabs = await Promise.all(all);
}, 60_000);
afterAll(() => gatewayEntry.close());

/** A random step in a tab; `pick` selects among its views. */
const step = fc.record({
  tab: fc.nat(),
  pick: fc.nat(),
  what: fc.oneof(
    { weight: 3, arbitrary: fc.constant("open") },
    { weight: 8, arbitrary: fc.constant("call") },
    { weight: 2, arbitrary: fc.constant("cancel") },
    { weight: 1, arbitrary: fc.constant("close") },
    { weight: 1, arbitrary: fc.constant("cut") },
    { weight: 1, arbitrary: fc.constant("reload") },
    { weight: 2, arbitrary: fc.constant("use another's view") },
    { weight: 2, arbitrary: fc.constant("use another's key") },
    { weight: 1, arbitrary: fc.constant("use another's session") },
  ),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const at = <T>(list: readonly T[], index: number): T | undefined => list[index % list.length];

/** Performs a step. Pending calls are added to `calls`. */
async function take({ tab: index, pick, what }: Step, calls: Promise<unknown>[]): Promise<void> {
  const tab = at(tabs, index);
  if (!tab) return;
  const view = at([...tab.views.keys()], pick);
  const others = tabs.filter(({ user }) => user !== tab.user);
  const other = at(others, pick);
  const otherView = at([...(other?.views.keys() ?? [])], pick);
  /** Calls that a close, a cancel or a reload interrupts have no answer; any other answer must be correct. */
  const begin = (call: Promise<unknown>) =>
    void calls.push(
      call.catch((error: { code?: unknown }) => expect(error).toMatchObject({ code: "closed" })),
    );

  if (what === "open") await tab.openView(at(SERVERS, pick) ?? "shop");
  else if (what === "cut") tab.page.cut();
  else if (what === "reload") await tab.reload();
  else if (what === "use another's session" && other) await steal(tab, other.page.storage);
  else if (what === "use another's view" && otherView) {
    tab.asked.set(`theft ${++tokens}`, otherView);
    const theft = tab.page.ask(otherView, "tools/call", { name: "look" }, `theft ${tokens}`);
    begin(theft.then(() => expect.unreachable("a stranger used a view"), isUnknownView));
  } else if (view && what === "call") begin(tab.call(view));
  else if (view && what === "close") await tab.closeView(view);
  else if (view && what === "cancel") {
    const id = tab.page.nextId();
    begin(tab.call(view, id));
    tab.page.cancel(view, id);
  } else if (view && other && what === "use another's key") {
    const id = at([...other.asked.keys()], pick);
    // The user's own earlier use of that key would be a conflict, because the arguments are new.
    if (id && !tabs.some(({ user, asked }) => user === tab.user && asked.has(id))) begin(tab.call(view, id));
  }
}

const isUnknownView = (error: { data?: unknown; code?: unknown }): void => {
  if (error.code !== "closed") expect(error).toMatchObject({ data: { code: "view-unknown" } });
};

/** Another user's cookie with the id and key of this session results in a new, empty session. */
async function steal({ user, over }: Tab, storage: PageStorage): Promise<void> {
  const thief = await gatewayEntry.page(user, over, storage.copy());
  expect(await thief.request("gateway/views", {})).toEqual({ views: [] });
  expect(thief.stray).toEqual([]);
  thief.close();
}

describe("random actions in random order", () => {
  it("no answer, view, key or session belongs to another user", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), async (steps) => {
        const calls: Promise<unknown>[] = [];
        for (const each of steps) await take(each, calls);
        await Promise.all(calls);
        // Every remaining view still answers its own user.
        await Promise.all(tabs.flatMap((tab) => [...tab.views.keys()].map((view) => tab.call(view))));
        await Promise.all(tabs.map((tab) => tab.clear()));
      }),
      { numRuns: 12, endOnFailure: true },
    );
    expect(new Set(instances.values()).size).toBe(instances.size);
    expect([...instances.keys()].sort()).toEqual(["common ", "shop ann", "shop bea", "shop cal"]);
  });
});

describe.each(TRANSPORTS)("data of one user is useless to another (%s)", (over) => {
  /** The tabs of two users. */
  const two = (): [Tab, Tab] => {
    const [ann, bea] = tabs.filter((tab) => tab.over === over);
    if (!ann || !bea) throw new Error("not everybody is here");
    return [ann, bea];
  };
  const viewOf = async ({ page }: Tab): Promise<string> =>
    (await page.request("gateway/open", { server: "common", tool: "show" })).view;

  it("an approval, although the server is the same process", async () => {
    const [ann, bea] = two();
    const [hers, others] = await Promise.all([viewOf(ann), viewOf(bea)]);
    ann.page.answer = () => ({ answer: "allow", remember: "always" });
    const change = { name: "change", arguments: {} };
    await ann.page.ask(hers, "tools/call", change);
    ann.page.answer = () => ({ answer: "deny" });
    await expect(ann.page.ask(hers, "tools/call", change)).resolves.toBeDefined();
    const asked = bea.page.asked.length;
    await expect(bea.page.ask(others, "tools/call", change)).rejects.toMatchObject({
      data: { code: "denied" },
    });
    expect(bea.page.asked).toHaveLength(asked + 1);
    expect(await gatewayEntry.gateway.api.consents.list({ user: bea.user })).toEqual([]);
    await gatewayEntry.gateway.api.consents.revoke({ user: ann.user }, { server: "common" });
  });

  it("a permit: only its own view can report the outcome", async () => {
    const [ann, bea] = two();
    const [hers, others] = await Promise.all([viewOf(ann), viewOf(bea)]);
    ann.page.answer = () => ({ answer: "allow" });
    const message = { role: "user", content: [{ type: "text", text: "hello" }] };
    const { permit } = (await ann.page.ask(hers, "ui/message", message)) as { permit: number };
    const tell = (tab: Tab, view: string, outcome: string) =>
      tab.page.send(view, { method: "gateway/outcome", params: { permit, outcome } });
    tell(bea, others, "failed");
    tell(bea, hers, "failed");
    // When this is answered, earlier messages have been handled.
    await bea.page.request("gateway/servers", {});
    tell(ann, hers, "ok");
    tell(ann, hers, "failed");
    const outcomes = async () =>
      (await gatewayEntry.rows(ann.user, permit))
        .filter((row) => row.of === permit)
        .map(({ outcome }) => outcome);
    await expect.poll(outcomes).toEqual(["ok"]);
    expect((await gatewayEntry.rows(bea.user)).filter((row) => row.of === permit)).toEqual([]);
  });

  it("the rows of the audit log", async () => {
    const [ann, bea] = two();
    await ann.page.request("gateway/call", { server: "common", name: "look" });
    const [{ length: hers }, { length: others }] = [
      await gatewayEntry.rows(ann.user),
      await gatewayEntry.rows(bea.user),
    ];
    expect(hers).toBeGreaterThan(0);
    expect(others).toBeGreaterThan(0);
    for (const { user } of [ann, bea])
      expect(new Set((await gatewayEntry.rows(user)).map((row) => row.user))).toEqual(new Set([user]));
  });
});

it("a key of one user's program is new for another user's", async () => {
  const call = async (user: string) =>
    readAnswer(
      (
        await gatewayEntry.post(
          user,
          "/api/servers/shop/tools/call",
          { name: "look", arguments: { of: "all" } },
          { "idempotency-key": "the same key" },
        )
      ).body,
    ).instance;
  const answers = [];
  for (const user of [...USERS, ...USERS]) answers.push(await call(user));
  expect(new Set(answers).size).toBe(USERS.length);
  expect(answers.slice(USERS.length)).toEqual(answers.slice(0, USERS.length));
});
