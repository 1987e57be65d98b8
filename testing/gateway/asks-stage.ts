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
import type { AuditSettings } from "../../packages/gateway/src/config/config.js";
import { type Script, type ScriptedModel, startScriptedModel } from "../model/scripted-model.js";
import { type MemoryStore, memoryStore } from "./guard-stage.js";

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

export interface AsksStage {
  readonly person: Person;
  readonly store: MemoryStore;
  readonly scripted: ScriptedModel;
  readonly sampling: SamplingService;
  readonly elicitation: ElicitationService;
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
  const shared = {
    audit: store.audit,
    settings: { audit: { payloads, redact: ["token"] } },
    ask: person.ask,
    onerror: (error: unknown) => failures.push(error),
    clock: () => stage.now,
  };
  const stage: AsksStage = {
    person,
    store,
    scripted,
    failures,
    now: 0,
    hasModel: true,
    sampling: new SamplingService({
      ...shared,
      model: () => (stage.hasModel ? model : undefined),
      ...options.sampling,
    }),
    elicitation: new ElicitationService({ ...shared, ...options.elicitation }),
    async close() {
      await stage.sampling.close();
      await stage.elicitation.close();
      await scripted.close();
    },
  };
  return stage;
}
