/**
 * A tool: its input and output, its callers, its view, and its result as text.
 *
 * @module
 */
import type { Icon, ServerContext, ToolAnnotations } from "@modelcontextprotocol/server";
import type { ToolVisibility, UiCapability } from "@vitrine/protocol";
import { DefinitionError } from "./errors.js";
import type { Reply } from "./reply.js";
import {
  type Checked,
  type DeepPartial,
  type Given,
  problemOfJson,
  problemOfSchema,
  type Schema,
} from "./schemas.js";
import type { ViewDefinition } from "./view.js";

/** Context of a tool call. */
export interface ToolContext {
  /** Whether the client shows views; `unknown` if a stateless request does not say. */
  readonly ui: UiCapability["support"];
  /** Aborts when the client cancels the call. */
  readonly signal: AbortSignal;
  /**
   * Reports progress to a client that asked for it: how much is done, of how much if that is known, and a
   * message for the user. Never rejects.
   *
   * @example
   * ```ts source="./notifications.examples.ts#progress"
   * export const brew = tool({
   *   name: "brew",
   *   input: z.object({ cups: z.number().int().min(1).max(12) }),
   *   run: async ({ cups }, { progress, signal }) => {
   *     for (let cup = 0; cup < cups; cup++) {
   *       await progress(cup, cups, `Cup ${cup + 1}`);
   *       await pause(1000, undefined, { signal });
   *     }
   *     return `${cups} cups of tea`;
   *   },
   * });
   * ```
   */
  readonly progress: (done: number, total?: number, message?: string) => Promise<void>;
  /** The official SDK's request context. */
  readonly request: ServerContext;
}

/** Return type of a function with this output schema. Without a schema: text, or nothing. */
export type GivenBack<Output> = Output extends Schema
  ? Given<Output> | Reply<Given<Output>>
  : string | undefined | Reply<undefined>;

/** Options of {@link tool}. */
export interface ToolOptions<
  Name extends string,
  Input extends Schema | undefined,
  Output extends Schema | undefined,
> {
  readonly name: Name;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly input?: Input;
  readonly output?: Output;
  readonly annotations?: ToolAnnotations | undefined;
  readonly icons?: Icon[] | undefined;
  /** Callers that may call it: `["model", "app"]` by default. */
  readonly visibility?: readonly ToolVisibility[] | undefined;
  /** Additional `_meta`. Its `ui` replaces the one derived from `view` and `visibility`. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** The view that shows its results. Several tools may share one. */
  readonly view?: ViewDefinition | undefined;
  /** Renders the result as text; a Markdown table or list of the data by default. */
  readonly text?: ((data: Checked<Output>) => string) | undefined;
  readonly run: (
    input: Checked<Input>,
    context: ToolContext,
  ) => GivenBack<Output> | Promise<GivenBack<Output>>;
}

/** A tool definition. */
export interface ToolDefinition<
  Name extends string = string,
  Input extends Schema | undefined = Schema | undefined,
  Output extends Schema | undefined = Schema | undefined,
> extends ToolOptions<Name, Input, Output> {}

/** A tool with any schemas. They are checked before its functions are called. */
export interface AnyTool
  extends Omit<ToolOptions<string, Schema | undefined, Schema | undefined>, "text" | "run"> {
  /** @internal Why its view cannot be shown, if known. */
  readonly viewProblem?: string | undefined;
  readonly text?: ((data: never) => string) | undefined;
  readonly run: (input: never, context: ToolContext) => unknown;
}

/**
 * Defines a tool.
 *
 * @example
 * ```ts source="./server.examples.ts#tool"
 * const forecast = tool({
 *   name: "forecast",
 *   description: "The weather of the next days in a city",
 *   input: z.object({ city: z.string(), days: z.number().int().default(5) }),
 *   output: z.object({ city: z.string(), days: z.array(z.object({ day: z.string(), high: z.number() })) }),
 *   annotations: { readOnlyHint: true },
 *   view: view({ name: "forecast", file: new URL("./forecast.html", import.meta.url) }),
 *   text: ({ city, days }) => `${city}: ${days.map(({ day, high }) => `${day} ${high}°`).join(", ")}`,
 *   run: ({ city }) => ({ city, days: [{ day: "Monday", high: 21 }] }),
 * });
 * ```
 *
 * @throws {DefinitionError} `tool-invalid` when a schema cannot be shown to clients
 */
export function tool<
  const Name extends string,
  Input extends Schema | undefined = undefined,
  Output extends Schema | undefined = undefined,
>(options: ToolOptions<Name, Input, Output>): ToolDefinition<Name, Input, Output> {
  checkAreSchemas(options);
  return options;
}

type WithSchemas = Pick<AnyTool, "name" | "input" | "output">;

/** Checks for plain JavaScript; a compiler would report the same. */
function checkAreSchemas({ name, input, output }: WithSchemas): void {
  const problem = problemOfSchema(input, "input") ?? problemOfSchema(output, "output");
  if (problem !== undefined) throw invalid(name, problem);
}

/**
 * Checks that a tool's schemas can be shown to clients: one that cannot would break the whole tools list.
 *
 * @throws {DefinitionError} `tool-invalid`
 */
export function checkSchemas(tool: WithSchemas): void {
  checkAreSchemas(tool);
  const { name, input, output } = tool;
  const problem = problemOfJson(input, "input") ?? problemOfJson(output, "output");
  if (problem !== undefined) throw invalid(name, problem);
}

const invalid = (name: string, problem: string): DefinitionError =>
  new DefinitionError("tool-invalid", `the tool ${name}: ${problem}`);

/**
 * The types of tools, for views to import as types.
 *
 * @example
 * ```ts source="./server.examples.ts#ToolsOf"
 * export type Tools = ToolsOf<[typeof forecast]>;
 * type Result = Tools["forecast"]["result"];
 *
 * // { city: string; days: { day: string; high: number }[] }
 * ```
 */
export type ToolsOf<Tools extends readonly AnyTool[]> = {
  [Each in Tools[number] as Each["name"]]: Each extends ToolDefinition<string, infer Input, infer Output>
    ? { input: Given<Input>; partial: DeepPartial<Given<Input>>; result: Checked<Output> }
    : never;
};
