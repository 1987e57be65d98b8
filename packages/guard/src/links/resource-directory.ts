/**
 * Knows which resources belong to a server.
 *
 * @module
 */
import { hasUi, isUiUri, JsonText } from "@vitrine/protocol";
import type { Upstream } from "../upstream/upstream.js";
import { arrayAt, Listing, listAll, resultObject } from "./listing.js";
import type { ToolDirectory } from "./tool-directory.js";

const MAX_URI = 2048;
/** Maximum remembered URIs from results; the oldest are dropped. */
const MAX_HANDED_OUT = 1000;

/**
 * The resources of one server: those that it named. MCP does not define ownership of URIs, so naming is the
 * only proof. A URI belongs to the server if it exactly
 *
 * 1. is the `resourceUri` of one of its tools (such a resource need not be listed), or
 * 2. is in its `resources/list`, or
 * 3. was in one of its results, as a resource link or an embedded resource, or
 * 4. matches one of its templates, and hides no path: no `.` or `..` segment however encoded, no backslash,
 * space or control character, and in a `ui://` URI no `+` and no encoded slash.
 *
 * So `file:///etc/passwd` is refused, unless the server itself offers it.
 *
 * @example
 * ```ts source="./guard.examples.ts#resourceDirectory"
 * const resources = new ResourceDirectory(upstream, tools);
 * // The server has the template "video://{id}", and lists nothing.
 * const yes = await resources.has("video://42");
 * const no = await resources.has("file:///etc/passwd");
 * ```
 */
export class ResourceDirectory {
  readonly #tools: ToolDirectory;
  readonly #listing: Listing<{ uris: Set<unknown>; templates: string[] }>;
  readonly #handedOut = new Set<string>();

  constructor(upstream: Upstream, tools: ToolDirectory) {
    this.#tools = tools;
    this.#listing = new Listing(upstream, "notifications/resources/list_changed", async () => {
      const offered = upstream.capabilities.resources;
      const list = async (
        method: "resources/list" | "resources/templates/list",
        key: string,
        field: string,
      ) => (offered ? (await listAll(upstream, method, key)).map((entry) => resultObject(entry)[field]) : []);
      return {
        uris: new Set(await list("resources/list", "resources", "uri")),
        templates: (await list("resources/templates/list", "resourceTemplates", "uriTemplate")).filter(
          (template) => typeof template === "string",
        ),
      };
    });
  }

  /** Whether the server named this resource. */
  async has(uri: string): Promise<boolean> {
    if (uri.length > MAX_URI) return false;
    if (this.#handedOut.has(uri)) return true;
    if (isUiUri(uri)) {
      const tools = [...(await this.#tools.forApp()), ...(await this.#tools.forModel())];
      if (tools.some((tool) => hasUi(tool, uri))) return true;
    }
    const { uris, templates } = await this.#listing.get();
    return uris.has(uri) || (!hidesPath(uri) && templates.some((template) => fits(template, uri)));
  }

  /** Remembers the resources in a tool's result, which need not be listed. */
  learn(result: unknown): void {
    // Parses a large text only if it contains one.
    if (result instanceof JsonText && !/"resource(_link)?"/.test(result.text)) return;
    for (const entry of arrayAt(resultObject(result), "content")) {
      const block = resultObject(entry);
      const { uri } = block["type"] === "resource_link" ? block : resultObject(block["resource"]);
      if (typeof uri === "string" && uri.length <= MAX_URI) this.#handedOut.add(uri);
    }
    for (const oldest of this.#handedOut) {
      if (this.#handedOut.size <= MAX_HANDED_OUT) break;
      this.#handedOut.delete(oldest);
    }
  }

  /** Invalidates the list; see {@link ToolDirectory.refresh}. */
  refresh(): void {
    this.#listing.drop();
  }

  /** Stops listening to the server. */
  close(): void {
    this.#listing.close();
  }
}

/** Whether a URI may mean another path once a server decodes it. */
function hidesPath(uri: string): boolean {
  // `%252e` is a dot after decoding twice.
  const plain = uri.replace(/%(?:25)*2e/gi, ".").replace(/%(?:25)*(?:2f|5c)/gi, "\\");
  return (
    /[\s\p{Cc}\\]/u.test(uri) ||
    /(?:^|[^\w.~-])\.\.?(?:$|[^\w.~-])/.test(plain) ||
    /%(?:25)*(?:0|1|7f)/i.test(uri) ||
    (uri.startsWith("ui:") && /[+\\]/.test(plain))
  );
}

/**
 * Whether a URI matches a template (RFC 6570). Templates come from the server, so they are not turned into
 * regular expressions: each literal is searched once, from left to right. The part before the first variable
 * must contain the scheme, or a template "{+uri}" would match everything.
 */
function fits(template: string, uri: string): boolean {
  if (template.length > MAX_URI) return false;
  const parts = template.split(/\{([^{}]*)\}/);
  const [start = ""] = parts;
  if (!/^[a-z][a-z\d+.-]*:/.test(start) || !uri.startsWith(start)) return false;
  let at = start.length;
  for (let index = 1; index < parts.length; index += 2) {
    const [variable = "", literal = ""] = parts.slice(index, index + 2);
    const isLast = index + 2 >= parts.length;
    const end = !isLast ? uri.indexOf(literal, at) : uri.endsWith(literal) ? uri.length - literal.length : -1;
    if (end < at) return false;
    // Only a few kinds of variables may span segments.
    if (!/^[+#/?&]/.test(variable) && uri.slice(at, end).includes("/")) return false;
    at = end + literal.length;
  }
  return at === uri.length;
}
