/** Many concurrent views, users and servers: their data is never mixed. */
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

/** Identifies the owner of an answer. */
const owner = ({ user, server, view, tool, argument }: Step) =>
  `${user} ${server} ${view} ${tool} ${argument}`;

/**
 * The users' answers: ann allows always at the shop, bob for the session; nobody allows anything at the bank.
 */
const allows = (user: string, server: string): "always" | "session" | undefined =>
  server === "bank" ? undefined : user === "ann" ? "always" : "session";

it("random interleavings never mix answers, approvals or limits", async () => {
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
              // The gateway assigns the ids of views: no two users, servers or pages share one.
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
            // An answer belongs to exactly its call, with its arguments.
            expect(outcome.value).toEqual({ words: owner(each), argument: { argument: each.argument } });
            // Calls without an approval did not run.
            expect(each.tool === "look" || allows(each.user, each.server)).toBeTruthy();
          } else {
            const { code } = outcome.reason.data;
            expect(code).toMatch(/^(denied|rate-limited|conflict)$/);
            // A conflict means that the same user used the key for another call.
            const others = steps.filter(({ user, key }) => user === each.user && key === each.key);
            if (code === "conflict") expect(new Set(others.map(owner)).size).toBeGreaterThan(1);
          }
        });
        // Questions about a server come only from its own views and users.
        for (const question of asked) {
          const [user, server, view] = question.split(" ");
          expect(view?.startsWith(`${user}-${server}-`)).toBe(true);
        }
        // Approvals belong to the users who gave them.
        expect(store.records.every(({ user, server }) => user === "ann" && server === "shop")).toBe(true);
        // A view within its limit is never refused because of others.
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
        // Every effect is recorded before and after, and every allowed entry has an effect.
        const allowed = store.entries.filter(({ decision }) => decision === "allowed");
        expect(allowed).toHaveLength(effects.length);
        // Results are hashed after their answers were sent.
        await new Promise((resolve) => setImmediate(resolve));
        expect(store.outcomes).toHaveLength(effects.length);
        for (const { seq, user, server, view } of allowed) {
          expect(view?.startsWith(`${user}-${server}-`)).toBe(true);
          expect(store.outcomes.filter(({ of }) => of === seq)).toMatchObject([{ outcome: "ok" }]);
        }
        // Each key ran once.
        const keys = allowed.flatMap(({ user, key }) => (key === undefined ? [] : [`${user} ${key}`]));
        expect(new Set(keys).size).toBe(keys.length);
        for (const guard of guards.values()) await guard.close();
      },
    ),
    { numRuns: 40 },
  );
});
