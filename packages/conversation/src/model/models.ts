/**
 * The available models, and the selected one.
 *
 * @module
 */
import { join } from "node:path";
import { isRecord, Listeners } from "@vitrine/protocol";
import { closest, readPrivate, writePrivate } from "@vitrine/servers/support";
import type { ModelFacts, ModelState, ModelSummary } from "@vitrine/wire";
import { aiModel } from "./ai-model.js";
import type { ListedModel } from "./listed-model.js";
import type { Model } from "./model.js";
import { ModelError } from "./model-error.js";
import { listModels } from "./model-list.js";
import { tableFacts } from "./price-table.js";
import { missingLibrary } from "./provider.js";
import type { ModelProviderSettings, ModelSettings } from "./settings.js";

/** A user's choice. It is valid until the settings name another model than at the time of the choice. */
interface Choice {
  readonly model: string | null;
  readonly inPlaceOf: string | null;
}

/** The file with the choice, in a folder. */
function choiceFile(folder: string): ModelChoiceStore {
  const file = join(folder, "model.json");
  return {
    get: () => readPrivate(file),
    set: async (text) => void (await writePrivate(file, text)),
  };
}

/** A provider's list of models, or why there is none. */
type Listed = { readonly models: readonly ListedModel[] } | { readonly problem: string };

/** Shown if there is no model. */
const HOW_TO_ADD =
  "Tools can be called by hand. To use a model, open Models above the conversation: it finds Ollama, LM Studio, llama.cpp and vLLM on this machine, " +
  "and takes the key of a provider. Or set OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY and restart. See docs/model.md for all kinds.";

/** Maximum models in use. Pages name them. */
const MOST_MADE = 200;
const MODEL_NAME = /^[^\s\p{Cc}\p{Cf}]{1,200}$/u;

/** Whether only the models in the settings can be selected. */
const isLimited = ({ models, areSuggestions }: ModelProviderSettings): boolean =>
  models !== undefined && !areSuggestions;

/** Where the choice is stored. */
export interface ModelChoiceStore {
  get(): Promise<string | undefined>;
  set(text: string): Promise<void>;
  /** Calls the listener when the choice may have changed elsewhere. Returns a function that removes the listener. */
  onChange?(listener: () => void): () => void;
}

/** Options of {@link Models.open}. */
export interface ModelsOptions {
  settings: ModelSettings;
  /** The gateway's own folder, where the choice is stored. */
  folder: string;
  /** Stores the choice elsewhere, such as in a database that several gateways share. */
  choice?: ModelChoiceStore | undefined;
  /** Called with errors that listeners throw. */
  onerror?: ((error: unknown) => void) | undefined;
}

/**
 * The models of a gateway. Keys stay inside: none of its results contains one.
 *
 * @example
 * ```ts source="./model.examples.ts#models"
 * const models = await Models.open({ settings, folder });
 * models.onchange(({ current, help }) => show(current ?? help));
 * await models.refresh(); // requests the lists of local providers such as Ollama
 * const [first] = models.list().filter(({ problem }) => problem === undefined);
 * await models.choose(first?.id);
 * ```
 */
export class Models {
  readonly #store: ModelChoiceStore;
  readonly #onerror: (error: unknown) => void;
  readonly #changed: Listeners<[ModelState]>;
  /** Answers of providers whose models are not in the settings. */
  readonly #listed = new Map<string, Listed>();
  /** Models in use, by id: each remembers data about its calls. */
  readonly #made = new Map<string, Model>();
  #settings: ModelSettings;
  #choice: Choice | undefined;
  #refreshing: Promise<void> | undefined;
  /** The selected model, cached: servers request it often, and finding it checks all models. */
  #current: { readonly model: Model | undefined } | undefined;
  #notified: string;

  private constructor(
    { settings, onerror }: ModelsOptions,
    store: ModelChoiceStore,
    choice: Choice | undefined,
  ) {
    this.#settings = settings;
    this.#store = store;
    this.#onerror = onerror ?? (() => {});
    this.#choice = choice;
    this.#changed = new Listeners(onerror);
    this.#notified = JSON.stringify(this.state());
  }

  /** Reads the stored choice. Contacts no provider and loads no library yet. */
  static async open(options: ModelsOptions): Promise<Models> {
    const store = options.choice ?? choiceFile(options.folder);
    const text = await store.get();
    const models = new Models(options, store, text === undefined ? undefined : readChoice(text));
    store.onChange?.(() => void models.#reload().catch(models.#onerror));
    return models;
  }

  /** Limits of the model. */
  get limits(): ModelSettings["limits"] {
    return this.#settings.limits;
  }

  /** Defaults of conversations, and whether the model writes their titles. */
  get defaults(): Pick<ModelSettings, "system" | "temperature" | "titles"> {
    const { system, temperature, titles } = this.#settings;
    return { system, temperature, titles };
  }

  /** The providers, with their keys: for this process only. */
  get providers(): readonly ModelProviderSettings[] {
    return [...this.#settings.providers.values()];
  }

  /**
   * A model by its `id`, whichever is selected; undefined if it cannot be used. A provider without a list in the settings
   * decides itself whether it has the model.
   */
  find(id: string): Model | undefined {
    const [provider, name] = this.#find(id);
    if (!provider || this.#problemOf(provider) !== undefined || !MODEL_NAME.test(name)) return undefined;
    const isRefused = isLimited(provider) && !this.#namesOf(provider).includes(name);
    return isRefused ? undefined : this.#make(id);
  }

  /** The selected model; undefined if none is selected, or it is unavailable. */
  get current(): Model | undefined {
    this.#current ??= { model: this.#findCurrent() };
    return this.#current.model;
  }

  #findCurrent(): Model | undefined {
    const { current } = this.state();
    return current === undefined ? undefined : this.#make(current);
  }

  #make(id: string): Model | undefined {
    const [provider, name] = this.#find(id);
    if (!provider) return undefined;
    const before = this.#made.get(id);
    if (before) return before;
    const { label, stream } = aiModel(provider, name);
    const factsOf = (): ModelFacts => this.#factsOf(provider, name);
    const made: Model = {
      id,
      label,
      stream,
      get facts() {
        return factsOf();
      },
    };
    this.#made.set(id, made);
    const [oldest] = this.#made.keys();
    if (this.#made.size > MOST_MADE && oldest !== undefined) this.#made.delete(oldest);
    return made;
  }

  /** The facts of the provider's own list, or else those of the price table. */
  #factsOf(provider: ModelProviderSettings, name: string): ModelFacts {
    const listed = this.#listed.get(provider.name);
    const found = listed && "models" in listed ? listed.models.find((each) => each.name === name) : undefined;
    const { name: _, ...facts } = { ...tableFacts(provider, name), ...found };
    return facts;
  }

  /** All models that can be selected, and those that cannot, with the reason. */
  list(): ModelSummary[] {
    return [...this.#settings.providers.values()].flatMap((provider) => {
      const { name: from } = provider;
      const problem = this.#problemOf(provider);
      const models = this.#namesOf(provider).map((name) => ({
        id: `${from}/${name}`,
        label: `${name} (${from})`,
        ...this.#factsOf(provider, name),
        ...(problem !== undefined && { problem }),
      }));
      const listed = this.#listed.get(from);
      // Shows the user why models are missing. A model whose name is known can still be used: the request
      // will show whether the provider is back.
      return listed && "problem" in listed
        ? [...models, { id: from, label: from, problem: listed.problem }]
        : models;
    });
  }

  /** The state for pages. */
  state(): ModelState {
    const models = this.list();
    const wanted = this.#wanted();
    const found = models.find(({ id }) => id === wanted);
    const isUsable = found !== undefined && found.problem === undefined;
    return { models, ...(isUsable && { current: found.id }), help: help(models, wanted, found) };
  }

  /**
   * Selects a model, or none. The choice is kept across restarts.
   *
   * @throws {ModelError} `model-unknown`, `model-unauthorized` without a key for it, or `model-not-installed` without its library
   */
  async choose(id: string | undefined): Promise<ModelState> {
    const found = id === undefined ? undefined : await this.#mustFind(id);
    if (found?.problem !== undefined) {
      const [provider] = this.#find(found.id);
      const code = provider?.problem === undefined ? "model-not-installed" : "model-unauthorized";
      throw new ModelError(code, `${found.id}: ${found.problem}`);
    }
    const before = this.#choice;
    const choice = { model: id ?? null, inPlaceOf: this.#settings.use ?? null };
    // Takes effect at once: the next message must not go to the previous model.
    this.#choose(choice);
    try {
      await this.#store.set(JSON.stringify(choice));
    } catch (error) {
      if (this.#choice === choice) this.#choose(before);
      throw error;
    }
    this.#notify();
    return this.state();
  }

  /** Applies new settings. */
  update(settings: ModelSettings): void {
    for (const [name, provider] of this.#settings.providers) {
      if (JSON.stringify(settings.providers.get(name)) === JSON.stringify(provider)) continue;
      this.#listed.delete(name);
      for (const id of [...this.#made.keys()]) if (id.startsWith(`${name}/`)) this.#made.delete(id);
    }
    this.#settings = settings;
    this.#current = undefined;
    // A refresh that is under way does not ask new providers.
    this.#refreshing = undefined;
    this.#notify();
  }

  /** Requests the models of providers for which the settings list none. Errors appear in the list. */
  refresh(): Promise<void> {
    if (this.#refreshing) return this.#refreshing;
    const refreshing = this.#refresh().finally(() => {
      if (this.#refreshing === refreshing) this.#refreshing = undefined;
    });
    this.#refreshing = refreshing;
    return refreshing;
  }

  /**
   * Requests a provider's models from its API. If the settings limit them, only those are returned.
   *
   * @param more facts from elsewhere, by the models' names
   * @throws {ModelError}
   */
  async listOf(name: string, more: ReadonlyMap<string, ModelFacts> = new Map()): Promise<ModelSummary[]> {
    const provider = this.#settings.providers.get(name);
    if (!provider)
      throw new ModelError("model-unknown", "there is no provider of this name; choose one from the list");
    const problem = this.#problemOf(provider);
    if (problem !== undefined) throw new ModelError("model-unauthorized", `${name}: ${problem}`);
    const models = (await listModels(provider)).map((model) => ({ ...model, ...more.get(model.name) }));
    if (this.#settings.providers.get(name) === provider) {
      this.#listed.set(name, { models });
      this.#current = undefined;
      this.#notify();
    }
    return models
      .filter((model) => !isLimited(provider) || provider.models?.includes(model.name))
      .map(({ name: each, ...facts }) => ({ id: `${name}/${each}`, label: each, ...facts }));
  }

  /** Reports each change. Returns a function that removes the listener. */
  onchange(listener: (state: ModelState) => void): () => void {
    return this.#changed.add(listener);
  }

  /** Takes over a choice that was made elsewhere. */
  async #reload(): Promise<void> {
    const before = this.#choice;
    const text = await this.#store.get();
    // A choice that was made here meanwhile is newer.
    if (this.#choice !== before) return;
    this.#choose(text === undefined ? undefined : readChoice(text));
    this.#notify();
  }

  async #refresh(): Promise<void> {
    const { providers } = this.#settings;
    const asked = [...providers.values()].filter(
      (provider) => !provider.models && this.#problemOf(provider) === undefined,
    );
    await Promise.all(
      asked.map(async (provider) => {
        const listed: Listed = await listModels(provider).then(
          (models) => ({ models }),
          (error: unknown) => ({ problem: error instanceof ModelError ? error.message : String(error) }),
        );
        // The settings may have changed meanwhile.
        if (this.#settings.providers.get(provider.name) === provider) this.#listed.set(provider.name, listed);
      }),
    );
    this.#current = undefined;
    this.#notify();
  }

  #choose(choice: Choice | undefined): void {
    this.#choice = choice;
    this.#current = undefined;
  }

  #notify(): void {
    const state = this.state();
    const notified = JSON.stringify(state);
    if (notified === this.#notified) return;
    this.#notified = notified;
    this.#changed.notify(state);
  }

  /** The user's choice, or else the model in the settings. */
  #wanted(): string | undefined {
    const { use } = this.#settings;
    if (this.#choice && this.#choice.inPlaceOf === (use ?? null)) return this.#choice.model ?? undefined;
    return use;
  }

  /** Why a provider is unavailable. */
  #problemOf({ problem, type }: ModelProviderSettings): string | undefined {
    return problem ?? missingLibrary(type);
  }

  /** Always contains the selected model: explicit settings take precedence over a list. */
  #namesOf(provider: ModelProviderSettings): readonly string[] {
    const { name, models } = provider;
    const listed = this.#listed.get(name);
    const found = listed && "models" in listed ? listed.models.map((each) => each.name) : [];
    const names = isLimited(provider) ? (models ?? []) : [...(models ?? []), ...found];
    const wanted = [this.#settings.use, this.#choice?.model].flatMap((id) =>
      id?.startsWith(`${name}/`) && (id === this.#settings.use || !isLimited(provider))
        ? [id.slice(name.length + 1)]
        : [],
    );
    return [...new Set([...wanted, ...names])];
  }

  async #mustFind(id: string): Promise<ModelSummary> {
    const search = () => this.list().find((each) => each.id === id && id.includes("/"));
    const known = search();
    if (known) return known;
    // The model may have been downloaded since.
    await this.refresh();
    const found = search();
    if (found) return found;
    const models = this.list();
    const hint = closest(
      id,
      models.map((each) => each.id),
    );
    // The id came from a page.
    const shown = JSON.stringify(id.slice(0, 100));
    throw new ModelError("model-unknown", `there is no model ${shown}; choose one from the list${hint}`);
  }

  #find(id: string): [ModelProviderSettings | undefined, string] {
    const slash = id.indexOf("/");
    return [this.#settings.providers.get(id.slice(0, slash)), id.slice(slash + 1)];
  }
}

function help(
  models: readonly ModelSummary[],
  wanted: string | undefined,
  found: ModelSummary | undefined,
): string {
  if (found?.problem !== undefined) return `${found.id} is unavailable: ${found.problem}`;
  if (found) return "";
  if (wanted !== undefined) return `The model ${wanted} no longer exists: choose another one.`;
  const usable = models.filter(({ problem }) => problem === undefined);
  if (usable.length > 0) return "No model is selected: choose one, or call tools by hand.";
  return HOW_TO_ADD;
}

function readChoice(text: string): Choice | undefined {
  try {
    const read: unknown = JSON.parse(text);
    if (!isRecord(read)) return undefined;
    const { model, inPlaceOf } = read;
    const isName = (value: unknown): value is string | null => value === null || typeof value === "string";
    return isName(model) && isName(inPlaceOf) ? { model, inPlaceOf } : undefined;
  } catch {
    // An unreadable choice costs the user one click.
    return undefined;
  }
}
