/** Many views, users and servers at once: nothing of one is another's. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { memoryStore, stageServer } from "../../../../testing/gateway/guard-stage.js";
import { type GatewayGuard, gatewayGuard } from "./gateway-guard.js";
import type { GuardedCall } from "./guarded-call.js";
import { Idempotency } from "./idempotency.js";

const USERS = ["ann", "bob"];
const SERVERS = ["shop", "bank"];
const VIEWS = ["v1", "v2"];
const BURST = 8;

interface Step {
  user: string;
  server: string;
  view: string;
  tool: "look" | "change" | "wipe";
  key: string | undefined;
  argument: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  user: fc.constantFrom(...USERS),
  server: fc.constantFrom(...SERVERS),
  view: fc.constantFrom(...VIEWS),
  tool: fc.constantFrom("look", "change", "wipe"),
  key: fc.option(
    fc.integer({ min: 1, max: 15 }).map((n) => `k.${n}`),
    { nil: undefined, freq: 2 },
  ),
  argument: fc.integer({ min: 0, max: 1 }),
});

/** Whose words these are. */
const owner = ({ user, server, view, tool, argument }: Step) =>
  `${user} ${server} ${view} ${tool} ${argument}`;

/** What people answer: ann allows always at the shop, bob for the session; nobody allows anything at the bank. */
const allows = (user: string, server: string): "always" | "session" | undefined =>
  server === "bank" ? undefined : user === "ann" ? "always" : "session";

it("random interleavings never mix answers, consents or limits", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 30, maxLength: 80 }),
      fc.scheduler(),
      async (steps, scheduler) => {
        const store = memoryStore();
        const idempotency = new Idempotency({ audit: store.audit });
        const guards = new Map<string, GatewayGuard>();
        const asked: string[] = [];
        for (const user of USERS) {
          for (const name of SERVERS) {
            const rates = { call: { burst: BURST, perSecond: 0 } };
            const server = stageServer({ name, limits: { rates } as never });
            const guard = gatewayGuard({
              server,
              user,
              store,
              idempotency,
              clock: () => 0,
              now: () => 0,
              settings: { policy: {}, strict: false, audit: { payloads: "none", redact: [] } },
              // A view's id is the gateway's own: no two users, servers or pages share one.
              views: (view) =>
                view.startsWith(`${user}-${name}-`) ? { session: `${user}-${name}` } : undefined,
              ask: async (question) => {
                await scheduler.schedule(Promise.resolve(), "answer");
                asked.push(`${user} ${question.server} ${question.view} ${question.subject}`);
                const remember = allows(user, name);
                return remember ? { answer: "allow", remember } : { answer: "deny" };
              },
            });
            guards.set(`${user} ${name}`, guard);
          }
        }
        const effects: string[] = [];
        const run = async (each: Step, at: number) => {
          const { user, server, view, tool, key, argument } = each;
          const call: GuardedCall = {
            actor: "view",
            user,
            server,
            method: "tools/call",
            key,
            view: `${user}-${server}-${view}`,
            params: { name: tool, arguments: { argument } },
          };
          await scheduler.schedule(Promise.resolve(), `send ${at}`);
          const guard = guards.get(`${user} ${server}`);
          return guard?.pass(call, async (passed) => {
            await scheduler.schedule(Promise.resolve(), `effect ${at}`);
            const words = owner(each);
            effects.push(words);
            return { words, argument: passed.params["arguments"] };
          });
        };
        const settled = Promise.allSettled(steps.map(run));
        await scheduler.waitFor(settled);
        const outcomes = await settled;

        outcomes.forEach((outcome, at) => {
          const each = steps[at];
          if (!each) return;
          if (outcome.status === "fulfilled") {
            // An answer is of the very call that asked, with its arguments.
            expect(outcome.value).toEqual({ words: owner(each), argument: { argument: each.argument } });
            // What nobody allowed was not done.
            expect(each.tool === "look" || allows(each.user, each.server)).toBeTruthy();
          } else {
            const { code } = outcome.reason.data;
            expect(code).toMatch(/^(denied|rate-limited|conflict)$/);
            // A key is in use because its own user uses it for something else.
            const others = steps.filter(({ user, key }) => user === each.user && key === each.key);
            if (code === "conflict") expect(new Set(others.map(owner)).size).toBeGreaterThan(1);
          }
        });
        // Questions about a server are of its own views, and of nobody who is not at it.
        for (const question of asked) {
          const [user, server, view] = question.split(" ");
          expect(view?.startsWith(`${user}-${server}-`)).toBe(true);
        }
        // Consents are of those who gave them.
        expect(store.records.every(({ user, server }) => user === "ann" && server === "shop")).toBe(true);
        // A view that stays within its limit is never refused for what others do.
        for (const user of USERS)
          for (const server of SERVERS)
            for (const view of VIEWS) {
              const own = steps.flatMap((each, at) =>
                each.user === user && each.server === server && each.view === view ? [outcomes[at]] : [],
              );
              const refused = own.some(
                (outcome) => outcome?.status === "rejected" && outcome.reason.data.code === "rate-limited",
              );
              if (own.length <= BURST) expect(refused).toBe(false);
            }
        // Every effect is on record, before and after; every entry that was allowed is an effect.
        const allowed = store.entries.filter(({ decision }) => decision === "allowed");
        expect(allowed).toHaveLength(effects.length);
        // Results are hashed when their answers are on their way.
        await new Promise((resolve) => setImmediate(resolve));
        expect(store.outcomes).toHaveLength(effects.length);
        for (const { seq, user, server, view } of allowed) {
          expect(view?.startsWith(`${user}-${server}-`)).toBe(true);
          expect(store.outcomes.filter(({ of }) => of === seq)).toMatchObject([{ outcome: "ok" }]);
        }
        // A key ran once.
        const keys = allowed.flatMap(({ user, key }) => (key === undefined ? [] : [`${user} ${key}`]));
        expect(new Set(keys).size).toBe(keys.length);
        for (const guard of guards.values()) await guard.close();
      },
    ),
    { numRuns: 40 },
  );
});
