/**
 * What tools a server has, and who may call them.
 *
 * @module
 */
import { decode, HOST_END, isVisibleTo, type Tool, type ToolVisibility } from "@vitrine/protocol";
import type { Upstream } from "../upstream/upstream.js";
import { canonical } from "./canonical.js";
import { Listing, listAll } from "./listing.js";

/**
 * The tools of one server, for all of its views and for the model. They are listed when first asked for, all
 * pages at once, and again after `notifications/tools/list_changed`.
 *
 * A tool that is malformed is left out, and those after it are not.
 *
 * @example
 * ```ts source="./guard.examples.ts#toolDirectory"
 * const tools = new ToolDirectory(upstream);
 * const forTheModel = await tools.forModel();
 * const forViews = await tools.forApp();
 * ```
 */
export class ToolDirectory {
  readonly #listing: Listing<Map<string, Tool>>;

  constructor(upstream: Upstream) {
    this.#listing = new Listing(upstream, "notifications/tools/list_changed", async () => {
      const tools = new Map<string, Tool>();
      if (!upstream.capabilities.tools) return tools;
      for (const entry of await listAll(upstream, "tools/list", "tools")) {
        const decoded = decode(HOST_END.results["tools/list"], { tools: [entry] });
        const tool = decoded.ok ? decoded.value.tools[0] : undefined;
        // Of two with one name the first counts: a later page cannot make a tool more visible.
        if (tool && !tools.has(tool.name)) tools.set(tool.name, tool);
      }
      return tools;
    });
  }

  /** The tool of that name, if the server lists it. */
  async find(name: string): Promise<Tool | undefined> {
    return (await this.#listing.get()).get(name);
  }

  /** Every tool that the server lists, by its name: the same map until they are listed again. */
  all(): Promise<ReadonlyMap<string, Tool>> {
    return this.#listing.get();
  }

  /** What the model may call (C02). */
  forModel(): Promise<Tool[]> {
    return this.#visibleTo("model");
  }

  /** What the server's views may call (C03). */
  forApp(): Promise<Tool[]> {
    return this.#visibleTo("app");
  }

  /** Forgets the list: after a reconnection, or when a server that never says "changed" may have. */
  refresh(): void {
    this.#listing.drop();
  }

  /** Stops hearing the server. */
  close(): void {
    this.#listing.close();
  }

  async #visibleTo(who: ToolVisibility): Promise<Tool[]> {
    return [...(await this.#listing.get()).values()].filter((tool) => isVisibleTo(tool, who));
  }
}

/**
 * Everything about a tool that a person agrees to. It is the text itself and no hash of it, so that nobody can
 * find another tool with the same one (attack C23). A store may keep its SHA-256.
 *
 * @example
 * ```ts source="./guard.examples.ts#fingerprint"
 * const tool = await tools.find("pay");
 * const agreedTo = tool && fingerprint(tool);
 * // Later: is it still the tool that the person agreed to?
 * const now = await tools.find("pay");
 * const isSame = now !== undefined && fingerprint(now) === agreedTo;
 * ```
 */
export const fingerprint = ({ name, title, description, inputSchema, annotations }: Tool): string =>
  canonical({ name, title, description, inputSchema, annotations });
