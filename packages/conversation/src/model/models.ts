/**
 * The models that there are, and the one that answers.
 *
 * @module
 */
import { join } from "node:path";
import { isRecord } from "@vitrine/protocol";
import { closest, Listeners, readPrivate, writePrivate } from "@vitrine/servers/support";
import type { ModelState, ModelSummary } from "@vitrine/wire";
import { aiModel } from "./ai-model.js";
import type { Model } from "./model.js";
import { ModelError } from "./model-error.js";
import { listModels } from "./model-list.js";
import { missingLibrary } from "./provider.js";
import type { ModelProviderSettings, ModelSettings } from "./settings.js";

/** What a person chose; it holds until the settings name another one than they did then. */
interface Choice {
  readonly model: string | null;
  readonly inPlaceOf: string | null;
}

/** What a provider answered when it was asked for its models. */
type Listed = { readonly models: readonly string[] } | { readonly problem: string };

/** Said where there is no model at all. */
const HOW_TO_ADD =
  "Tools can be called by hand. For a model that answers, set OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY and start again, " +
  'or add one to the settings file under "model": one on this machine will do, such as ' +
  '"providers": { "local": { "url": "http://127.0.0.1:11434/v1" } } for Ollama. docs/model.md has each kind.';

/** Options of {@link Models.open}. */
export interface ModelsOptions {
  settings: ModelSettings;
  /** The gateway's own folder: what was chosen is kept there. */
  folder: string;
  /** Hears what a listener threw. */
  onerror?: ((error: unknown) => void) | undefined;
}

/**
 * The models of a gateway. Keys stay in here: what it gives out has none.
 *
 * @example
 * ```ts source="./model.examples.ts#models"
 * const models = await Models.open({ settings, folder });
 * models.onchange(({ current, help }) => show(current ?? help));
 * await models.refresh(); // asks Ollama and the like what they have
 * const [first] = models.list().filter(({ problem }) => problem === undefined);
 * await models.choose(first?.id);
 * ```
 */
export class Models {
  readonly #file: string;
  readonly #changed: Listeners<[ModelState]>;
  /** What providers said whose models are not in the settings. */
  readonly #listed = new Map<string, Listed>();
  /** Those that were used, by their id: each remembers something of its calls. */
  readonly #made = new Map<string, Model>();
  #settings: ModelSettings;
  #choice: Choice | undefined;
  #refreshing: Promise<void> | undefined;
  /** The one that answers, once it was looked for: servers ask for it often, and that is a look at all models. */
  #current: { readonly model: Model | undefined } | undefined;
  #told: string;

  private constructor({ settings, folder, onerror }: ModelsOptions, choice: Choice | undefined) {
    this.#settings = settings;
    this.#file = join(folder, "model.json");
    this.#choice = choice;
    this.#changed = new Listeners(onerror);
    this.#told = JSON.stringify(this.state());
  }

  /** Reads what was chosen before. No provider is asked yet, and no library loaded. */
  static async open(options: ModelsOptions): Promise<Models> {
    const text = await readPrivate(join(options.folder, "model.json"));
    return new Models(options, text === undefined ? undefined : readChoice(text));
  }

  /** How far the model may go. */
  get limits(): ModelSettings["limits"] {
    return this.#settings.limits;
  }

  /** The one that answers; undefined if none was chosen, or it cannot be used. */
  get current(): Model | undefined {
    this.#current ??= { model: this.#findCurrent() };
    return this.#current.model;
  }

  #findCurrent(): Model | undefined {
    const { current } = this.state();
    if (current === undefined) return undefined;
    const [provider, name] = this.#find(current);
    if (!provider) return undefined;
    const made = this.#made.get(current) ?? aiModel(provider, name);
    this.#made.set(current, made);
    return made;
  }

  /** All that can be chosen, and those that cannot with the reason. */
  list(): ModelSummary[] {
    return [...this.#settings.providers.values()].flatMap((provider) => {
      const { name: from } = provider;
      const problem = this.#problemOf(provider);
      const models = this.#namesOf(provider).map((name) => ({
        id: `${from}/${name}`,
        label: `${name} (${from})`,
        ...(problem !== undefined && { problem }),
      }));
      const listed = this.#listed.get(from);
      // A person shall see why its models are missing. One that is known by its name may be asked all the same: it is
      // found out then whether the provider is back.
      return listed && "problem" in listed
        ? [...models, { id: from, label: from, problem: listed.problem }]
        : models;
    });
  }

  /** What a page shows. */
  state(): ModelState {
    const models = this.list();
    const wanted = this.#wanted();
    const found = models.find(({ id }) => id === wanted);
    const isUsable = found !== undefined && found.problem === undefined;
    return { models, ...(isUsable && { current: found.id }), help: help(models, wanted, found) };
  }

  /**
   * Has another model answer from now on, or none; this is kept over a restart.
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
    // At once: what is said next is not for the one before.
    this.#choose(choice);
    try {
      await writePrivate(this.#file, JSON.stringify(choice));
    } catch (error) {
      if (this.#choice === choice) this.#choose(before);
      throw error;
    }
    this.#tell();
    return this.state();
  }

  /** Takes other settings. */
  update(settings: ModelSettings): void {
    for (const [name, provider] of this.#settings.providers) {
      if (JSON.stringify(settings.providers.get(name)) === JSON.stringify(provider)) continue;
      this.#listed.delete(name);
      for (const id of [...this.#made.keys()]) if (id.startsWith(`${name}/`)) this.#made.delete(id);
    }
    this.#settings = settings;
    this.#current = undefined;
    this.#tell();
  }

  /** Asks providers for their models where the settings name none. What goes wrong is in the list. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** Hears of each change; returns how to stop. */
  onchange(listener: (state: ModelState) => void): () => void {
    return this.#changed.add(listener);
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
        // Meanwhile it may be another one.
        if (this.#settings.providers.get(provider.name) === provider) this.#listed.set(provider.name, listed);
      }),
    );
    this.#current = undefined;
    this.#tell();
  }

  #choose(choice: Choice | undefined): void {
    this.#choice = choice;
    this.#current = undefined;
  }

  #tell(): void {
    const state = this.state();
    const told = JSON.stringify(state);
    if (told === this.#told) return;
    this.#told = told;
    this.#changed.tell(state);
  }

  /** What was chosen, or else what the settings name. */
  #wanted(): string | undefined {
    const { use } = this.#settings;
    if (this.#choice && this.#choice.inPlaceOf === (use ?? null)) return this.#choice.model ?? undefined;
    return use;
  }

  /** Why a provider cannot be used. */
  #problemOf({ problem, type }: ModelProviderSettings): string | undefined {
    return problem ?? missingLibrary(type);
  }

  /** The one that is to be used is always among them: what is written counts more than a list. */
  #namesOf({ name, models }: ModelProviderSettings): readonly string[] {
    const listed = this.#listed.get(name);
    const names = models ?? (listed && "models" in listed ? listed.models : []);
    const wanted = [this.#settings.use, this.#choice?.model].flatMap((id) =>
      id?.startsWith(`${name}/`) && (id === this.#settings.use || !models) ? [id.slice(name.length + 1)] : [],
    );
    return [...new Set([...wanted, ...names])];
  }

  async #mustFind(id: string): Promise<ModelSummary> {
    const search = () => this.list().find((each) => each.id === id && id.includes("/"));
    const known = search();
    if (known) return known;
    // It may have been loaded since.
    await this.refresh();
    const found = search();
    if (found) return found;
    const models = this.list();
    const hint = closest(
      id,
      models.map((each) => each.id),
    );
    // It came from a page.
    const shown = JSON.stringify(id.slice(0, 100));
    throw new ModelError("model-unknown", `there is no model ${shown}; choose one of the list${hint}`);
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
  if (found?.problem !== undefined) return `${found.id} cannot be used: ${found.problem}`;
  if (found) return "";
  if (wanted !== undefined) return `There is no model ${wanted} any more: choose another one.`;
  const usable = models.filter(({ problem }) => problem === undefined);
  if (usable.length > 0) return "No model answers: choose one, or call tools by hand.";
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
    // A choice that cannot be read costs a person one click.
    return undefined;
  }
}
