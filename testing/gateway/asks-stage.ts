/** A user and a model with scripted answers, and the services between them. */

import { aiModel } from "../../packages/conversation/src/model/ai-model.js";
import {
  ElicitationService,
  type ElicitationServiceOptions,
} from "../../packages/gateway/src/asks/elicitation-service.js";
import {
  SamplingService,
  type SamplingServiceOptions,
} from "../../packages/gateway/src/asks/sampling-service.js";
import type { AuditSettings, GatewaySettings } from "../../packages/gateway/src/config/config.js";
import { type GatewayGuard, gatewayGuard } from "../../packages/gateway/src/guard/gateway-guard.js";
import { type Script, type ScriptedModel, startScriptedModel } from "../model/scripted-model.js";
import { type MemoryStore, memoryStore, stageServer } from "./guard-stage.js";

/** Questions that the user was asked, and the answers to give. */
export class Person {
  readonly asked: Record<string, unknown>[] = [];
  /** Largest number of questions open at once. */
  most = 0;
  /** Questions that were withdrawn from the screen. */
  withdrawn = 0;
  #open = 0;
  answer: (question: Record<string, unknown>) => unknown = () => ({ answer: "allow" });

  readonly ask = async (user: string, question: object, signal: AbortSignal): Promise<unknown> => {
    const asked = { user, ...question };
    this.asked.push(asked);
    this.most = Math.max(this.most, ++this.#open);
    signal.addEventListener("abort", () => this.withdrawn++);
    try {
      return await this.answer(asked);
    } finally {
      this.#open--;
    }
  };
}

/** Does not answer until the test does. */
export function silence(): { answer: () => Promise<unknown>; say: (answer: unknown) => void } {
  let say: (answer: unknown) => void = () => {};
  const said = new Promise((resolve) => {
    say = resolve;
  });
  return { answer: () => said, say };
}

/** A server that asks, and its user. */
export interface StageAsker {
  user: string;
  server: string;
  identity?: string;
}

export interface AsksStage {
  readonly person: Person;
  readonly store: MemoryStore;
  readonly scripted: ScriptedModel;
  readonly sampling: SamplingService;
  readonly elicitation: ElicitationService;
  /** The operator's policy; it may be changed. */
  policy: GatewaySettings["policy"];
  /** The guard of the server that asks: the same one each time. */
  guardOf(asker: StageAsker): GatewayGuard;
  /** Milliseconds of the services' clock. */
  now: number;
  /** Whether there is a model. */
  hasModel: boolean;
  readonly failures: unknown[];
  close(): Promise<void>;
}

export interface AsksStageOptions {
  turns?: readonly Script[];
  otherwise?: Script;
  payloads?: AuditSettings["payloads"];
  sampling?: Partial<SamplingServiceOptions>;
  elicitation?: Partial<ElicitationServiceOptions>;
}

export async function asksStage(options: AsksStageOptions = {}): Promise<AsksStage> {
  const { turns = [], otherwise, payloads = "none" } = options;
  const scripted = await startScriptedModel(turns, otherwise ? { otherwise } : {});
  const model = aiModel({ name: "local", type: "compatible", url: scripted.url }, "scripted");
  const person = new Person();
  const store = memoryStore();
  const failures: unknown[] = [];
  const shared = { ask: person.ask, clock: () => stage.now };
  const onerror = (error: unknown) => failures.push(error);
  const settings = {
    strict: false,
    audit: { payloads, redact: ["token"] },
    get policy() {
      return stage.policy;
    },
  };
  const guards = new Map<string, GatewayGuard>();
  const stage: AsksStage = {
    person,
    store,
    scripted,
    failures,
    now: 0,
    hasModel: true,
    policy: {},
    guardOf: ({ user, server: name, identity = "1" }) => {
      const id = JSON.stringify([user, name, identity]);
      const guard =
        guards.get(id) ??
        gatewayGuard({
          user,
          store,
          settings,
          onerror,
          server: stageServer({ name, identity }),
          views: () => ({ session: "s1", tool: "show" }),
          clock: () => stage.now,
        });
      guards.set(id, guard);
      return guard;
    },
    sampling: new SamplingService({
      ...shared,
      onerror,
      model: () => (stage.hasModel ? model : undefined),
      ...options.sampling,
    }),
    elicitation: new ElicitationService({ ...shared, ...options.elicitation }),
    async close() {
      await Promise.all([...guards.values()].map((guard) => guard.close()));
      await scripted.close();
    },
  };
  return stage;
}
