/** Everything that a guard needs, in memory: a server, an audit log, consents. Each part can be made to fail. */

import type {
  ConsentRecord,
  GatewayStore,
  ServerConsentKey,
  StoredAuditRow,
} from "../../packages/gateway/src/store/store.js";
import type { Server } from "../../packages/servers/src/server.js";
import type { ServerSettings } from "../../packages/servers/src/settings.js";
import { ASK_LEVEL_METHOD } from "../../packages/wire/src/ask-level.js";
import { GatewayError } from "../../packages/wire/src/gateway-error.js";
import { type FakeUpstream, fakeUpstream, tool, visibleTo } from "../fake-upstream.js";

/** Parts that fail from now on, with their error. */
export interface Failing {
  begin?: unknown;
  get?: unknown;
  set?: unknown;
  start?: unknown;
}

export interface MemoryStore extends Omit<GatewayStore, "conversations" | "holds" | "shrink" | "compact"> {
  readonly rows: StoredAuditRow[];
  readonly records: ConsentRecord[];
  readonly failing: Failing;
  /** Number of times the log was queried for a key. */
  readonly finds: string[];
  /** Stored results, by the number of their entry. */
  readonly kept: Map<number, string>;
  readonly entries: StoredAuditRow[];
  readonly outcomes: StoredAuditRow[];
}

export function memoryStore(): MemoryStore {
  const rows: StoredAuditRow[] = [];
  const records: ConsentRecord[] = [];
  const failing: Failing = {};
  const finds: string[] = [];
  const kept = new Map<number, string>();
  const add = (row: Omit<StoredAuditRow, "seq" | "time" | "hash">): number => {
    rows.push({ ...row, seq: rows.length + 1, time: 0, hash: "" });
    return rows.length;
  };
  const same = (a: ServerConsentKey, b: ServerConsentKey) =>
    (["server", "identity", "method", "subject", "actor"] as const).every((part) => a[part] === b[part]);
  const unused = () => {
    throw new Error("no test needs this");
  };
  return {
    rows,
    records,
    failing,
    finds,
    kept,
    results: {
      keep: (seq, json) => void kept.set(seq, json),
      find: async (seq) => kept.get(seq),
      clear: async () => kept.clear(),
    },
    get entries() {
      return rows.filter(({ kind }) => kind === "entry");
    },
    get outcomes() {
      return rows.filter(({ kind }) => kind === "outcome");
    },
    audit: {
      get healthy() {
        return !failing.begin;
      },
      async begin(entry) {
        await Promise.resolve();
        if (failing.begin) throw failing.begin;
        return add({ kind: "entry", ...entry });
      },
      end: (seq, outcome) => void add({ kind: "outcome", of: seq, ...outcome }),
      async mark(mark) {
        await Promise.resolve();
        if (failing.begin) throw failing.begin;
        return add({ kind: "mark", ...mark });
      },
      flush: async () => {},
      async find(user, key) {
        finds.push(key);
        const entry = rows.find((row) => row.user === user && row.key === key);
        return entry && { entry, outcome: rows.find((row) => row.of === entry.seq) };
      },
      mayHaveSeries: async (series) => rows.some(({ key }) => key?.startsWith(`${series}.`)),
      missingBefore: async () => 0,
      isIncomplete: false,
      query: unused,
      rows: unused,
      verify: unused,
      prune: unused,
      acceptBrokenChain: unused,
      head: { seq: 0, hash: "" },
      waiting: 0,
    },
    consents: {
      async get(user, key, now) {
        await Promise.resolve();
        if (failing.get) throw failing.get;
        const record = records.find((each) => each.user === user && same(each, key));
        const isValid = record?.fingerprint === key.fingerprint && (record.expiresAt ?? Infinity) > now;
        return isValid ? record.answer : undefined;
      },
      async set(record) {
        if (failing.set) throw failing.set;
        const at = records.findIndex((each) => each.user === record.user && same(each, record));
        records.splice(at < 0 ? records.length : at, at < 0 ? 0 : 1, record);
      },
      list: async (user) => records.filter((record) => record.user === user),
      async revoke(user, key) {
        const isMeant = ({ method }: ConsentRecord) =>
          key.method === undefined ? method !== ASK_LEVEL_METHOD : method === key.method;
        const kept = records.filter(
          (record) => record.user !== user || record.server !== key.server || !isMeant(record),
        );
        const count = records.length - kept.length;
        records.splice(0, records.length, ...kept);
        return count;
      },
    },
    servers: NO_HEIRS,
    close: async () => {},
  };
}

/** Servers without data from before there were identities. */
export const NO_HEIRS: GatewayStore["servers"] = {
  take: async () => [],
  settled: async () => {},
  isHeir: () => false,
  onlate: () => {},
  unannounced: () => [],
  announced: async () => {},
};

/** Tools of the stage's server: one of each kind. `café` is in composed form. */
export const STAGE_TOOLS = [
  tool("look", { description: "Reads", annotations: { readOnlyHint: true } }),
  tool("change", { description: "Changes something" }),
  tool("set", { description: "Sets something", annotations: { idempotentHint: true } }),
  tool("wipe", { description: "Destroys", annotations: { destructiveHint: true } }),
  tool("secret", { ...visibleTo("model"), annotations: { readOnlyHint: true } }),
  tool("inner", { ...visibleTo("app"), annotations: { readOnlyHint: true } }),
  tool("caf\u00e9", { annotations: { readOnlyHint: true } }),
  tool("show", {
    annotations: { readOnlyHint: true },
    _meta: { ui: { resourceUri: "ui://shop/cart.html" } },
  }),
];

const NO_VIEWS: Awaited<ReturnType<Server["views"]>> = [];

export interface StageServer extends Server {
  readonly upstream: FakeUpstream;
  readonly failing: Failing;
  /** Calls other than those for lists. */
  readonly calls: string[];
  /** Whether it was restarted. */
  restart(): void;
}

export const stageSettings = (more: Partial<ServerSettings> = {}): ServerSettings => ({
  name: "shop",
  identity: "1".repeat(64),
  transport: {
    type: "http",
    url: "http://127.0.0.1/",
    headers: {},
    oauth: false,
    privateNetwork: true,
  },
  start: "eager",
  stateless: false,
  trusted: false,
  policy: {},
  idempotent: [],
  relax: [],
  permissions: {},
  schemes: [],
  ...more,
  limits: {
    sizes: {},
    rates: {},
    concurrency: {},
    timeout: 60_000,
    startTimeout: 10_000,
    idle: 0,
    message: 64_000_000,
    ...more.limits,
  },
});

export function stageServer(more: Partial<ServerSettings> = {}): StageServer {
  const settings = stageSettings(more);
  const calls: string[] = [];
  const failing: Failing = {};
  const listeners = new Set<(status: Server["status"]) => void>();
  const note = (method: string, answer: (params: Record<string, unknown>) => unknown) => ({
    [method]: (params: Record<string, unknown>) => {
      calls.push(`${method} ${params["name"] ?? params["uri"]}`);
      return answer(params);
    },
  });
  const upstream = fakeUpstream(
    {
      "tools/list": () => ({ tools: STAGE_TOOLS }),
      "resources/list": () => ({ resources: [{ uri: "note://1", name: "one" }] }),
      "resources/templates/list": () => ({
        resourceTemplates: [
          { uriTemplate: "notes:///{id}", name: "notes" },
          { uriTemplate: "ui://shop/{page}", name: "pages" },
        ],
      }),
      "prompts/list": () => ({ prompts: [{ name: "greet" }] }),
      ...note("tools/call", ({ name }) => ({ content: [{ type: "text", text: `did ${name}` }] })),
      ...note("resources/read", ({ uri }) => ({ contents: [{ uri, text: "read" }] })),
      ...note("resources/subscribe", () => ({})),
      ...note("prompts/get", () => ({ messages: [] })),
    },
    settings.name,
  );
  let status: Server["status"] = {
    name: settings.name,
    state: "ready",
    starts: 1,
    capabilities: upstream.capabilities,
  };
  return {
    settings,
    upstream,
    calls,
    failing,
    get status() {
      return status;
    },
    ask: async () => ({}),
    setLogLevel: async () => {},
    rootsChanged: async () => {},
    onNotice: () => () => {},
    onWire: () => () => {},
    start: async () => {},
    async ready() {
      if (failing.start) throw failing.start;
    },
    catalogue: async () => ({ tools: [], resources: [], templates: [], prompts: [], views: [] }),
    views: async () => NO_VIEWS,
    document: async () => ({ ok: false, code: "content-missing", message: "none here" }),
    onChange: () => () => {},
    onStatus(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: async () => {},
    restart() {
      status = { ...status, starts: status.starts + 1 };
      for (const listener of listeners) listener(status);
    },
  };
}

/** An error in the form of the audit log. */
export const diskFull = (): GatewayError => new GatewayError("audit-failed", "no space left on device");
