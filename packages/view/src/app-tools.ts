/**
 * Tools that the view offers to its host (part A): the host lists and calls them as it does a server's.
 *
 * @module
 */
import {
  type CallToolResult,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  type RequestContext,
  type RequestId,
  type Result,
  type Tool,
  type ToolAnnotations,
  VitrineError,
} from "@vitrine/protocol";
import { type InferOutput, type StandardSchema, toJsonSchema, validate } from "./standard-schema.js";

/** What a tool is, beside its name and what it does. */
export interface AppToolConfig<
  Input extends StandardSchema | undefined = StandardSchema | undefined,
  Output extends StandardSchema | undefined = StandardSchema | undefined,
> {
  title?: string;
  description?: string;
  /** The arguments; checked before the callback runs. */
  inputSchema?: Input;
  /** The `structuredContent` of the result; checked after the callback ran. */
  outputSchema?: Output;
  annotations?: ToolAnnotations;
  _meta?: Record<string, unknown>;
}

/** What a callback knows about the call. `mcpReq` is the same, under the official SDK's name. */
export interface AppToolContext extends RequestContext {
  mcpReq: RequestContext & { id: RequestId; method: string };
}

/** What a callback returns: a result, with `structuredContent` of the output schema's type if there is one. */
export type AppToolResult<Output extends StandardSchema | undefined> = Output extends StandardSchema
  ?
      | (CallToolResult & { structuredContent: InferOutput<Output>; isError?: false })
      | (CallToolResult & { isError: true })
  : CallToolResult;

/** What a tool does: with arguments if it has an input schema, without them otherwise. */
export type AppToolCallback<
  Input extends StandardSchema | undefined,
  Output extends StandardSchema | undefined,
> = Input extends StandardSchema
  ? (
      args: InferOutput<Input>,
      context: AppToolContext,
    ) => AppToolResult<Output> | Promise<AppToolResult<Output>>
  : (context: AppToolContext) => AppToolResult<Output> | Promise<AppToolResult<Output>>;

/** A tool that was registered. Every change is told to the host. */
export interface RegisteredAppTool extends AppToolConfig {
  enabled: boolean;
  enable(): void;
  disable(): void;
  /** Changes what the tool is. */
  update(changes: Partial<AppToolConfig> & { enabled?: boolean }): void;
  remove(): void;
}

type Callback = (...args: unknown[]) => CallToolResult | Promise<CallToolResult>;

/** The tools of one view. */
export class AppTools {
  readonly #tools = new Map<string, RegisteredAppTool>();
  readonly #callbacks = new WeakMap<RegisteredAppTool, Callback>();
  readonly #changed: () => void;

  /** @param changed called for every change of a tool that is registered */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  register(name: string, config: AppToolConfig, callback: Callback): RegisteredAppTool {
    if (this.#tools.has(name)) throw new VitrineError("duplicate-handler", `tool ${name} exists`);
    const change = (changes: Partial<RegisteredAppTool>): void => {
      describe(name, { ...tool, ...changes }); // As below.
      Object.assign(tool, changes);
      if (this.#tools.get(name) === tool) this.#changed();
    };
    const tool: RegisteredAppTool = {
      ...config,
      enabled: true,
      enable: () => change({ enabled: true }),
      disable: () => change({ enabled: false }),
      update: change,
      remove: () => {
        if (this.#tools.get(name) !== tool) return;
        this.#tools.delete(name);
        this.#changed();
      },
    };
    describe(name, tool); // A schema that cannot be described is found out now, not when the host asks.
    this.#tools.set(name, tool);
    // Whether it takes arguments is settled by what it was written for, whatever `update` does later.
    this.#callbacks.set(tool, config.inputSchema ? callback : (_args, context) => callback(context));
    return tool;
  }

  list(): Result<"tools/list"> {
    return {
      tools: [...this.#tools].filter(([, tool]) => tool.enabled).map(([name, tool]) => describe(name, tool)),
    };
  }

  async call(name: string, args: unknown, context: AppToolContext): Promise<CallToolResult> {
    const tool = this.#tools.get(name);
    if (!tool?.enabled) throw new VitrineError(INVALID_PARAMS, `no tool ${name}`);
    const { inputSchema, outputSchema } = tool;
    const callback = this.#callbacks.get(tool) as Callback;
    const given = args ?? {};
    const input = inputSchema ? await validate(inputSchema, given, `input of ${name}`) : given;
    const result = await callback(input, context);
    if (!outputSchema || result.isError) return result;
    const { structuredContent: output } = result;
    // The host did nothing wrong: it is the tool that failed.
    const structuredContent = await validate(outputSchema, output, `output of ${name}`, INTERNAL_ERROR);
    return { ...result, structuredContent };
  }
}

function describe(name: string, tool: RegisteredAppTool): Tool {
  const { title, description, inputSchema, outputSchema, annotations, _meta } = tool;
  return {
    name,
    title,
    description,
    inputSchema: { properties: {}, ...(inputSchema && toJsonSchema(inputSchema, "input")), type: "object" },
    outputSchema: outputSchema && toJsonSchema(outputSchema, "output"),
    annotations,
    _meta,
  };
}
