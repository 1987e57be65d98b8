/**
 * The tools that an app offers to its host, for the inspector.
 *
 * @module
 */
import { type Bridge, ViewTools } from "@vitrine/host";
import type { CallToolResult, Tool } from "@vitrine/protocol";
import { messageOf } from "../messages/messages.js";
import { Observable } from "../observable.js";
import { readResult, readTool } from "./foreign.js";

const PREFIX = "app";

/** The tools of one app, under its own names. The app is asked as soon as this object is created. */
export class AppToolList extends Observable {
  /** Undefined until the app has answered. */
  tools: readonly Tool[] | undefined;
  /** Why there is no list. */
  problem: string | undefined;
  readonly #tools: ViewTools;
  #reads = 0;

  constructor(bridge: Bridge) {
    super();
    // Pressing the button counts as approval.
    this.#tools = new ViewTools(bridge, { prefix: PREFIX, confirm: () => true });
    this.#tools.onchange(() => void this.#read());
    bridge.on("ready", () => void this.#read());
    bridge.on("closed", () => void this.#read());
    void this.#read();
  }

  /** Calls a tool; its answer comes from the app and may be anything. */
  async call(name: string, input: Record<string, unknown>, signal?: AbortSignal): Promise<CallToolResult> {
    return readResult(await this.#tools.call(`${PREFIX}__${name}`, input, { signal }));
  }

  /** Of two concurrent reads, the later one counts. */
  async #read(): Promise<void> {
    const mine = ++this.#reads;
    let tools: Tool[] | undefined;
    let problem: string | undefined;
    try {
      const listed = await this.#tools.list();
      tools = listed.flatMap((tool) => readTool({ ...tool, name: tool.name.slice(PREFIX.length + 2) }) ?? []);
    } catch (error) {
      problem = messageOf(error);
    }
    if (mine !== this.#reads) return;
    this.tools = tools;
    this.problem = problem;
    this.changed();
  }
}
