/**
 * Knows the tools of a server, and their allowed callers.
 *
 * @module
 */
import { decode, HOST_END, isVisibleTo, type Tool, type ToolVisibility } from "@vitrine/protocol";
import type { Upstream } from "../upstream/upstream.js";
import { canonical } from "./canonical.js";
import { Listing, listAll } from "./listing.js";

/**
 * The tools of one server, for all of its views and for the model. They are listed on first use, all pages at
 * once, and again after `notifications/tools/list_changed`.
 *
 * A malformed tool is omitted; the others are kept.
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
        // Of two with the same name the first counts: a later page cannot make a tool more visible.
        if (tool && !tools.has(tool.name)) tools.set(tool.name, tool);
      }
      return tools;
    });
  }

  /** The tool with this name, if the server lists it. */
  async find(name: string): Promise<Tool | undefined> {
    return (await this.#listing.get()).get(name);
  }

  /** All tools by name: the same map until they are listed again. */
  all(): Promise<ReadonlyMap<string, Tool>> {
    return this.#listing.get();
  }

  /** Tools that the model may call. */
  forModel(): Promise<Tool[]> {
    return this.#visibleTo("model");
  }

  /** Tools that the server's views may call. */
  forApp(): Promise<Tool[]> {
    return this.#visibleTo("app");
  }

  /** Invalidates the list: after a reconnection, or if a server may have changed without a notification. */
  refresh(): void {
    this.#listing.drop();
  }

  /** Stops listening to the server. */
  close(): void {
    this.#listing.close();
  }

  async #visibleTo(who: ToolVisibility): Promise<Tool[]> {
    return [...(await this.#listing.get()).values()].filter((tool) => isVisibleTo(tool, who));
  }
}

/**
 * Everything about a tool that the user agrees to. It is the text itself, not a hash, so that nobody can find
 * another tool with the same one. A store may keep its SHA-256.
 *
 * @example
 * ```ts source="./guard.examples.ts#fingerprint"
 * const tool = await tools.find("pay");
 * const agreedTo = tool && fingerprint(tool);
 * // Later: is it still the tool that the user agreed to?
 * const now = await tools.find("pay");
 * const isSame = now !== undefined && fingerprint(now) === agreedTo;
 * ```
 */
export const fingerprint = ({ name, title, description, inputSchema, annotations }: Tool): string =>
  canonical({ name, title, description, inputSchema, annotations });
