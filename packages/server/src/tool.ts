/**
 * A tool: what it takes and gives, who may call it, the view that shows what it gave, and the same in words.
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
import type { View } from "./view.js";

/** What a tool's function knows besides its input. */
export interface ToolContext {
  /** Whether the client shows views; `unknown` when a stateless request does not tell. */
  readonly ui: UiCapability["support"];
  /** Aborts when the call is taken back. */
  readonly signal: AbortSignal;
  /** What the official SDK knows of the request. */
  readonly request: ServerContext;
}

/** What a function with this output schema may give back. Without a schema: text, or nothing. */
export type GivenBack<Output> = Output extends Schema
  ? Given<Output> | Reply<Given<Output>>
  : string | undefined | Reply<undefined>;

/** What {@link tool} takes. */
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
  /** Who may call it: `["model", "app"]` by default. */
  readonly visibility?: readonly ToolVisibility[] | undefined;
  /** What else its `_meta` has. What it says of `ui` stands in place of what the view and `visibility` give. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** What shows its results. Several tools may have the same. */
  readonly view?: View | undefined;
  /** Says in words what it gave; a Markdown table or list of the data by default. */
  readonly text?: ((data: Checked<Output>) => string) | undefined;
  readonly run: (
    input: Checked<Input>,
    context: ToolContext,
  ) => GivenBack<Output> | Promise<GivenBack<Output>>;
}

/** A tool that servers can offer. */
export interface Tool<
  Name extends string = string,
  Input extends Schema | undefined = Schema | undefined,
  Output extends Schema | undefined = Schema | undefined,
> extends ToolOptions<Name, Input, Output> {}

/** Any tool. What its functions take is for its schemas to say: they are checked before these are called. */
export interface AnyTool
  extends Omit<ToolOptions<string, Schema | undefined, Schema | undefined>, "text" | "run"> {
  /** @internal Why its view cannot be shown, if somebody has found that out. */
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
 *   view: forecastView,
 *   text: ({ city, days }) => `${city}: ${days.map(({ day, high }) => `${day} ${high}°`).join(", ")}`,
 *   run: ({ city }) => lookUp(city),
 * });
 * ```
 *
 * @throws {DefinitionError} `tool-invalid` when a schema cannot be shown to clients
 */
export function tool<
  const Name extends string,
  Input extends Schema | undefined = undefined,
  Output extends Schema | undefined = undefined,
>(options: ToolOptions<Name, Input, Output>): Tool<Name, Input, Output> {
  checkAreSchemas(options);
  return options;
}

type WithSchemas = Pick<AnyTool, "name" | "input" | "output">;

/** What compilers see, and plain JavaScript does not. */
function checkAreSchemas({ name, input, output }: WithSchemas): void {
  const problem = problemOfSchema(input, "input") ?? problemOfSchema(output, "output");
  if (problem !== undefined) throw invalid(name, problem);
}

/**
 * Whether clients can be shown a tool's schemas: one that they cannot be would keep them from all tools.
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
 * The types of tools, for their views, which import them as types alone.
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
  [Each in Tools[number] as Each["name"]]: Each extends Tool<string, infer Input, infer Output>
    ? { input: Given<Input>; partial: DeepPartial<Given<Input>>; result: Checked<Output> }
    : never;
};
