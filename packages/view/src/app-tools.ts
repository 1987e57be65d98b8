/**
 * Tools that the view offers to its host. The host lists and calls them like a server's tools.
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

/** Description of a tool: everything except its name and its callback. */
export interface AppToolConfig<
  Input extends StandardSchema | undefined = StandardSchema | undefined,
  Output extends StandardSchema | undefined = StandardSchema | undefined,
> {
  title?: string;
  description?: string;
  /** Schema of the arguments, checked before the callback runs. */
  inputSchema?: Input;
  /** Schema of the result's `structuredContent`, checked after the callback ran. */
  outputSchema?: Output;
  annotations?: ToolAnnotations;
  _meta?: Record<string, unknown>;
}

/** Context of a tool call. `mcpReq` holds the same under the official SDK's name. */
export interface AppToolContext extends RequestContext {
  mcpReq: RequestContext & { id: RequestId; method: string };
}

/** Return value of a callback. With an output schema, `structuredContent` has the schema's type. */
export type AppToolResult<Output extends StandardSchema | undefined> = Output extends StandardSchema
  ?
      | (CallToolResult & { structuredContent: InferOutput<Output>; isError?: false })
      | (CallToolResult & { isError: true })
  : CallToolResult;

/** Runs the tool. It gets the arguments only if the tool has an input schema. */
export type AppToolCallback<
  Input extends StandardSchema | undefined,
  Output extends StandardSchema | undefined,
> = Input extends StandardSchema
  ? (
      args: InferOutput<Input>,
      context: AppToolContext,
    ) => AppToolResult<Output> | Promise<AppToolResult<Output>>
  : (context: AppToolContext) => AppToolResult<Output> | Promise<AppToolResult<Output>>;

/** A registered tool. The host is notified of every change. */
export interface RegisteredAppTool extends AppToolConfig {
  enabled: boolean;
  enable(): void;
  disable(): void;
  /** Changes the tool's description or enables it. */
  update(changes: Partial<AppToolConfig> & { enabled?: boolean }): void;
  remove(): void;
}

type Callback = (...args: unknown[]) => CallToolResult | Promise<CallToolResult>;

/** All tools of one view. */
export class AppTools {
  readonly #tools = new Map<string, RegisteredAppTool>();
  readonly #callbacks = new WeakMap<RegisteredAppTool, Callback>();
  readonly #changed: () => void;

  /** @param changed called whenever a registered tool changes */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  register(name: string, config: AppToolConfig, callback: Callback): RegisteredAppTool {
    if (this.#tools.has(name)) throw new VitrineError("duplicate-handler", `tool ${name} exists`);
    const change = (changes: Partial<RegisteredAppTool>): void => {
      describe(name, { ...tool, ...changes }); // Throws on a bad schema, as in `register`.
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
    describe(name, tool); // Throws now if a schema has no JSON Schema.
    this.#tools.set(name, tool);
    // The first config decides whether the callback takes arguments; `update` does not change that.
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
    // The tool is at fault here, not the host, hence INTERNAL_ERROR.
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
