/**
 * The providers of models: what the dialog shows, and what it asks the gateway to do. Keys are sent once, and never come back.
 *
 * @module
 */
import type { GatewayClient } from "@vitrine/host/gateway";
import type {
  LocalModelServer,
  ModelProviderSummary,
  ModelProviders,
  ModelRequests,
  ModelSummary,
  ModelTest,
  NewModelProvider,
} from "@vitrine/wire";
import { messageOf } from "../messages/messages.js";
import { Observable } from "../observable.js";

/** The models of a provider, or why there is no list. */
export interface ProviderModels {
  readonly isLoading: boolean;
  readonly models: readonly ModelSummary[];
  readonly problem?: string | undefined;
}

/** A test message: on its way, or answered. */
export interface RunningTest {
  readonly model: string;
  readonly outcome?: ModelTest | undefined;
}

/** The result of saving a provider. */
export type Saved = { readonly isSaved: true } | { readonly isSaved: false; readonly problem: string };

const NO_MODELS: ProviderModels = { isLoading: false, models: [] };

/** The gateway's providers. */
export class ProviderList extends Observable {
  readonly #gateway: GatewayClient;
  #state: ModelProviders | undefined;
  #problem: string | undefined;
  #found: readonly LocalModelServer[] | undefined;
  #isDetecting = false;
  #test: RunningTest | undefined;
  readonly #models = new Map<string, ProviderModels>();

  constructor(gateway: GatewayClient) {
    super();
    this.#gateway = gateway;
  }

  /** Undefined before the gateway has answered. */
  get providers(): readonly ModelProviderSummary[] | undefined {
    return this.#state?.providers;
  }

  /** Why this user cannot change anything. */
  get locked(): string | undefined {
    return this.#state?.locked;
  }

  /** The last failure. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Model servers on the gateway's machine, with their providers; undefined before anybody looked. */
  get found(): readonly LocalModelServer[] | undefined {
    const { providers = [] } = this;
    return this.#found?.map((server) => {
      const isOwn = ({ name, url }: ModelProviderSummary): boolean =>
        url === server.url || name === server.provider;
      return { ...server, provider: providers.find(isOwn)?.name };
    });
  }

  get isDetecting(): boolean {
    return this.#isDetecting;
  }

  get test(): RunningTest | undefined {
    return this.#test;
  }

  modelsOf(provider: string): ProviderModels {
    return this.#models.get(provider) ?? NO_MODELS;
  }

  /** Asks for everything anew: when the dialog opens. */
  async load(): Promise<void> {
    this.#test = undefined;
    await this.#try(async () => this.#take(await this.#gateway.request("model/providers", {})));
    if (this.#state && this.#state.providers.length + (this.locked === undefined ? 1 : 0) > 0)
      await this.detect();
  }

  /** Looks for model servers on the gateway's machine. */
  async detect(): Promise<void> {
    if (this.#isDetecting) return;
    this.#isDetecting = true;
    this.changed();
    await this.#try(async () => {
      this.#found = (await this.#gateway.request("model/detect", {})).found;
    });
    this.#isDetecting = false;
    this.changed();
  }

  /** Adds or changes a provider, and lists its models. */
  async save(provider: NewModelProvider): Promise<Saved> {
    try {
      this.#take(await this.#gateway.request("model/save", provider));
      void this.list(provider.name);
      return { isSaved: true };
    } catch (error) {
      return { isSaved: false, problem: messageOf(error) };
    }
  }

  async forget(name: string, what: ModelRequests["model/forget"]["params"]["what"]): Promise<void> {
    await this.#try(async () => this.#take(await this.#gateway.request("model/forget", { name, what })));
    this.#models.delete(name);
    this.changed();
  }

  /** Requests the models of a provider from its API. */
  async list(provider: string): Promise<readonly ModelSummary[]> {
    const { models: before } = this.modelsOf(provider);
    const set = (models: ProviderModels): void => {
      this.#models.set(provider, models);
      this.changed();
    };
    set({ isLoading: true, models: before });
    try {
      const { models } = await this.#gateway.request("model/list", { provider });
      set({ isLoading: false, models });
      return models;
    } catch (error) {
      set({ isLoading: false, models: before, problem: messageOf(error) });
      return before;
    }
  }

  /** Sends a test message to a model. */
  async sendTest(model: string): Promise<void> {
    this.#test = { model };
    this.changed();
    await this.#try(async () => {
      const outcome = await this.#gateway.request("model/test", { model });
      this.#test = { model, outcome };
    });
    if (this.#test?.outcome === undefined) this.#test = undefined;
    this.changed();
  }

  #take(state: ModelProviders): void {
    this.#state = state;
    this.changed();
  }

  async #try(act: () => Promise<void>): Promise<void> {
    try {
      await act();
      this.#problem = undefined;
    } catch (error) {
      this.#problem = messageOf(error);
    }
    this.changed();
  }
}
