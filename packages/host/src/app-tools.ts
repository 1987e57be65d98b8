/**
 * Tools that a view offers to its host and, through it, to the model.
 *
 * @module
 */
import { type CallToolResult, type Tool, VitrineError } from "@vitrine/protocol";
import type { Bridge } from "./bridge.js";

/** A call of a view's tool, for approval and audit. */
export interface AppToolCall {
  /** The view. */
  source: string;
  /** The prefixed name. */
  name: string;
  /** The view's description of the tool, under its own name. */
  tool: Tool;
  arguments: Record<string, unknown>;
}

/** An audit log entry of a call. */
export interface AppToolAudit extends AppToolCall {
  /** `refused` by {@link AppToolsOptions.confirm}; `error` if the call or the tool failed. */
  outcome: "done" | "error" | "refused";
}

/** Options of {@link ViewTools}. */
export interface AppToolsOptions {
  /**
   * Prefix of the names: 1 to 32 of `A-Z a-z 0-9 _ -`; `app` by default. Use a different one for each open
   * view.
   */
  prefix?: string | undefined;
  /** Whether a server's tool has this name; then the view's tool is omitted. */
  taken?: ((name: string) => boolean) | undefined;
  /** Asks the user about a call of a tool that is not read-only. Without it, such calls are refused. */
  confirm?: ((call: AppToolCall) => boolean | Promise<boolean>) | undefined;
  /** Called for every call. */
  audit?: ((entry: AppToolAudit) => void) | undefined;
}

const MAX_TOOLS = 50;
const MAX_BYTES = 10_000_000;
const CALL_LIMIT = 30_000;
const CHANGE_INTERVAL = 1_000;

/**
 * The tools of one view. The view's `search` is `<prefix>__search` here: names without the prefix are a
 * server's. Names with other characters than ASCII letters, digits, `_`, `-` and `.` are omitted, because
 * they could look like another name.
 *
 * @example
 * ```ts source="./bridge.examples.ts#appTools"
 * const tools = new ViewTools(bridge, {
 *   prefix: "chart",
 *   taken: (name) => serverTools.some((tool) => tool.name === name),
 *   confirm: ({ name, arguments: args }) => ask(`Run ${name} with ${JSON.stringify(args)}?`),
 * });
 * const offered = await tools.list(); // "zoom" of the view is "chart__zoom"
 * const result = await tools.call("chart__zoom", { factor: 2 });
 * ```
 */
export class ViewTools {
  readonly #bridge: Bridge;
  readonly #options: AppToolsOptions;
  readonly #prefix: string;
  #listed: Promise<Map<string, Tool>> | undefined;

  constructor(bridge: Bridge, options: AppToolsOptions = {}) {
    const { prefix = "app" } = options;
    if (!/^[\w-]{1,32}$/.test(prefix))
      throw new VitrineError("invalid", `${prefix} is not a valid prefix of a tool's name`);
    this.#bridge = bridge;
    this.#options = options;
    this.#prefix = `${prefix}__`;
    const forget = (): void => {
      this.#listed = undefined;
    };
    bridge.on("tools-changed", forget);
    bridge.on("ready", forget);
  }

  /**
   * The tools, under their prefixed names. They are requested once, and again when the view reports a change.
   */
  async list(): Promise<Tool[]> {
    return [...(await this.#tools())].map(([name, tool]) => ({ ...tool, name }));
  }

  /**
   * Calls a tool by its prefixed name. A failed tool resolves to a result with `isError`.
   *
   * @throws {VitrineError} `unsupported` if there is no such tool, or it was not allowed, `closed` after the
   * view closed, `timeout` after 30 s, `invalid` for a result of the wrong shape or of more than 10 MB
   */
  async call(
    name: string,
    args: Record<string, unknown> = {},
    options: { signal?: AbortSignal | undefined } = {},
  ): Promise<CallToolResult> {
    const tool = (await this.#tools()).get(name);
    if (!tool) throw new VitrineError("unsupported", `the app has no tool ${name}`);
    const call = { source: this.#bridge.instance, name, tool, arguments: args };
    const { confirm, audit } = this.#options;
    let outcome: AppToolAudit["outcome"] = "refused";
    try {
      if (tool.annotations?.readOnlyHint !== true && !(await confirm?.(call))) {
        throw new VitrineError("unsupported", `${name} was not allowed`);
      }
      outcome = "error";
      const params = { name: tool.name, arguments: args };
      const result = await this.#bridge.request("tools/call", params, { ...options, timeout: CALL_LIMIT });
      if (isLarger(result, MAX_BYTES))
        throw new VitrineError("invalid", `the result of ${name} is too large`);
      if (!result.isError) outcome = "done";
      return result;
    } finally {
      audit?.({ ...call, outcome });
    }
  }

  /** Adds a listener for changes of {@link list}, called at most once a second. */
  onchange(listener: () => void): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let again = false;
    const tell = (): void => {
      again = false;
      timer = setTimeout(() => {
        timer = undefined;
        if (again) tell();
      }, CHANGE_INTERVAL);
      listener();
    };
    const leave = this.#bridge.on("tools-changed", () => {
      if (timer) again = true;
      else tell();
    });
    return () => {
      leave();
      clearTimeout(timer);
    };
  }

  async #tools(): Promise<Map<string, Tool>> {
    const { phase, app } = this.#bridge;
    // A closed or disconnected view has no tools.
    if (phase !== "ready") throw new VitrineError("closed", "the app is not open");
    // A view that declared no tools is not asked.
    if (!app?.appCapabilities.tools) return new Map();
    const listed = (this.#listed ??= this.#read());
    listed.catch(() => {
      if (this.#listed === listed) this.#listed = undefined;
    });
    return listed;
  }

  async #read(): Promise<Map<string, Tool>> {
    const tools = new Map<string, Tool>();
    let cursor: string | undefined;
    // Pages are counted too, because a view could return empty pages forever.
    for (let page = 0; page < MAX_TOOLS; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const result = await this.#bridge.request("tools/list", params, { timeout: CALL_LIMIT });
      for (const tool of result.tools) {
        const name = this.#prefix + tool.name;
        const fits = /^[\w.-]{1,64}$/.test(tool.name) && !tools.has(name) && !this.#options.taken?.(name);
        if (fits && tools.size < MAX_TOOLS) tools.set(name, tool);
      }
      cursor = result.nextCursor;
      if (cursor === undefined || tools.size >= MAX_TOOLS) break;
    }
    return tools;
  }
}

/** Whether a value is larger than about this many characters of JSON; stops as soon as it is known. */
function isLarger(value: unknown, limit: number): boolean {
  let left = limit;
  const open = [value];
  while (open.length > 0 && left >= 0) {
    const here = open.pop();
    left -= typeof here === "string" ? here.length : 4;
    if (typeof here !== "object" || here === null) continue;
    // Not `Object.entries`, which would create the whole list before the first is counted.
    for (const key in here) {
      left -= key.length;
      open.push((here as Record<string, unknown>)[key]);
      if (left < 0) break;
    }
  }
  return left < 0;
}
