/**
 * The cost that the guard adds to a call: the whole chain, with an audit log that answers at once, so that
 * only the guard itself is left. It measures processor time, which other processes on a busy machine hardly
 * change. Run `node bench/gateway/guard.mjs` after a build.
 */
import { gatewayGuard } from "../../packages/gateway/dist/guard/gateway-guard.js";
import { Idempotency } from "../../packages/gateway/dist/guard/idempotency.js";
import { JsonText } from "../../packages/protocol/dist/index.js";

const CALLS = 5_000;
const ROUNDS = 5;

/** Twenty tools with schemas like those of real servers. */
const schema = {
  type: "object",
  properties: Object.fromEntries(
    Array.from({ length: 10 }, (_, at) => [`field${at}`, { type: "string", description: "What it is for." }]),
  ),
};
const tools = Array.from({ length: 20 }, (_, at) => ({
  name: `tool-${at}`,
  description: "Does something that is described here at some length. ".repeat(5),
  inputSchema: schema,
  annotations: at % 2 === 0 ? { readOnlyHint: true } : {},
}));

const upstream = {
  server: "shop",
  capabilities: { tools: {} },
  request: async (method) => (method === "tools/list" ? { tools } : {}),
  listen: () => () => {},
};
const unlimited = { burst: Number.MAX_SAFE_INTEGER, perSecond: 1 };
const settings = {
  name: "shop",
  trusted: false,
  policy: {},
  idempotent: [],
  permissions: {},
  limits: { sizes: {}, rates: { call: unlimited }, concurrency: {} },
};
const uis = [{ tool: tools[0], uri: "ui://shop/a", hash: "a".repeat(64) }];
const server = {
  settings,
  upstream,
  status: { state: "ready", starts: 1 },
  start: async () => {},
  onStatus: () => () => {},
  views: async () => uis,
};
let seq = 0;
const audit = { begin: async () => ++seq, end: () => {}, find: async () => undefined };
const consents = { get: async () => "allow", set: async () => {} };
const views = (view) => (view === "v1" ? { session: "s1", tool: "tool-0", uri: "ui://shop/a" } : undefined);

const guard = gatewayGuard({
  server,
  user: "ann",
  views,
  store: { audit, consents },
  ask: async () => ({ answer: "deny" }),
  idempotency: new Idempotency({ find: audit.find }),
  settings: { policy: {}, strict: false, audit: { payloads: "none", redact: [] } },
});

const payload = { text: "x".repeat(1000), n: 1, list: [1, 2, 3] };
const result = new JsonText(JSON.stringify({ content: [{ type: "text", text: "y".repeat(1000) }] }));
const effect = async () => result;

let last = 0;
const call = (name, more) => ({
  actor: "view",
  user: "ann",
  view: "v1",
  server: "shop",
  method: "tools/call",
  params: { name, arguments: payload },
  ...more?.(),
});
const text = JSON.stringify({ name: "tool-0", arguments: payload });
const all = {
  "nothing but the effect": () => effect(),
  "allowed (1 KB), params as text": () =>
    guard.pass(
      call("tool-0", () => ({ paramsText: text })),
      effect,
    ),
  "allowed (1 KB), params as an object": () => guard.pass(call("tool-0"), effect),
  "allowed (1 KB), with a key": () =>
    guard.pass(
      call("tool-0", () => ({ paramsText: text, key: `page.${++last}` })),
      effect,
    ),
  "remembered (1 KB), with a key": () =>
    guard.pass(
      call("tool-1", () => ({ paramsText: text, key: `page.${++last}` })),
      effect,
    ),
  "refused: unknown tool": () => guard.pass(call("gone"), effect).catch(() => {}),
};

/** Only cases with this prefix, if one is given. */
const [, , wanted = ""] = process.argv;
const cases = Object.fromEntries(Object.entries(all).filter(([name]) => name.startsWith(wanted)));

const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
for (let round = 0; round <= ROUNDS; round++) {
  for (const [name, run] of Object.entries(cases)) {
    const before = process.cpuUsage();
    for (let n = 0; n < CALLS; n++) await run();
    const { user, system } = process.cpuUsage(before);
    // The first round warms up.
    if (round > 0) times[name].push((user + system) / CALLS);
  }
}
await guard.close();
for (const [name, samples] of Object.entries(times)) {
  const sorted = samples.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  console.log(`${name.padEnd(38)} ${median.toFixed(1).padStart(7)} µs (best ${sorted[0].toFixed(1)})`);
}
