/**
 * The sandbox origin: registers views, and serves them to browsers.
 *
 * @module
 */
import {
  isPageViewName,
  isStaticDocument,
  type PageView,
  type Permission,
  pageViewLabel,
  type Relaxation,
  type ResourceCsp,
  type ResourceMeta,
  readPageViewName,
  VIEW_DIALECTS,
  type ViewDialect,
  VitrineError,
} from "@vitrine/protocol";
import { DENY_ALL, type Places, viewHeaders, whyHeaders } from "./headers.js";
import { readHosts } from "./hosts.js";
import { Keys } from "./keys.js";
import {
  OneHostOrigins,
  type Origins,
  PatternOrigins,
  pagePath,
  type Role,
  readPath,
  type SandboxPlace,
} from "./origins.js";
import { matchesHost } from "./page/match-host.js";
import { whyPage, whyScriptHash } from "./pages.js";
import { policyOf, proxyAnswer, type RecordHead, type ViewRules, viewAnswer } from "./record.js";
import { MemoryRecords, type RecordStore } from "./records.js";

/** At least 16 bytes. */
export type Secret = string | Uint8Array;

/** Options of {@link Sandbox}. */
export interface SandboxOptions {
  /**
   * Known only to the host side. Keep it: with another secret, every app gets other origins and empty
   * storage. To replace it, pass a list with the new one first: addresses of the others are still served.
   */
  secret: Secret | readonly Secret[];
  /**
   * Origins of apps, with `{role}` and `{label}` in the host name: `http://{role}.{label}.localhost:8091`, or
   * `https://{role}-{label}.apps.example.com`. Never a name of the host page's own site.
   *
   * Without a wildcard in DNS, one host for all apps: `https://sandbox.example.com`. Then apps have no origin, and
   * browsers may put them into one process.
   */
  origin: string | Origins;
  /**
   * The host pages: no other page may show an app. An origin such as `https://chat.example`, all subdomains
   * (`https://*.acme.com`), a page of an application (`tauri://localhost`), or all pages of its scheme
   * (`vscode-webview:`, `file:`). A function decides about the page that {@link ViewRegistration.host} names: for
   * tenants with their own domains.
   */
  hosts: readonly string[] | ((origin: string) => boolean | Promise<boolean>);
  /** The pages that may contain a host page in a frame, in the same forms. */
  embedders?: readonly string[] | undefined;
  /**
   * For host pages that send `Cross-Origin-Embedder-Policy`: apps send it too, as `credentialless`. Frames inside of an
   * app then need it as well.
   */
  embedderPolicy?: boolean | undefined;
  /**
   * Lets the host pages show views that nobody registered: for hosts that run their MCP client in the page. Then the
   * page decides about document and policy. The rules apply to all of these views. Off by default.
   */
  pageViews?: boolean | ViewRules | undefined;
  records?: RecordStore | undefined;
  /** Whether the domain of `origin` is on the public suffix list, so that its labels are separate sites. */
  publicSuffix?: boolean | undefined;
  /**
   * Whether views report their console output, for developers of apps: this adds a script before each
   * document. Off by default.
   */
  console?: boolean | undefined;
  /**
   * Dialects that are translated for views that ask for them, with a script before each document. All by default; an
   * empty list switches this off.
   */
  dialects?: readonly ViewDialect[] | undefined;
  /** Called with the cause when a browser gets an error, usually a failure of `records`. */
  onerror?: ((error: unknown) => void) | undefined;
}

/** A view to show. */
export interface ViewRegistration extends ViewRules {
  /** The server's identity: views of one server share an origin, views of different servers never do. */
  server: string;
  /** The document. Without it, the host page sends it with `sandbox-resource-ready`. */
  html?: string | undefined;
  /**
   * The origin of the page that will show it, such as the `Origin` of its request. Without it, every page of
   * {@link SandboxOptions.hosts} may; if that is a function, it is required.
   */
  host?: string | undefined;
  /** `_meta.ui` of its resource, as returned by `readUiDocument`. */
  meta?: ResourceMeta | undefined;
  /** Dialects to translate, such as those that `readUiDocument` found. */
  dialects?: readonly ViewDialect[] | undefined;
}

/**
 * The barrier between a view and other apps: `site`, a site of its own and so a process of its own; `origin`, an origin
 * of its own, for which browsers may use a process of its own; `opaque`, no origin, on a host or port of its own;
 * `shared`, no origin, on the one host of all apps.
 */
export type ViewIsolation = "site" | "origin" | "opaque" | "shared";

/** Everything that a host page needs to show a view. It contains no secret. */
export interface SandboxedView {
  /** The address of the proxy page: the `src` of the host page's frame. */
  src: string;
  /** The proxy's origin, for messages. */
  origin: string;
  /** The view's own origin, or `null`: the origin that servers see. */
  viewOrigin: string;
  /** The barrier between the view and other apps. */
  isolation: ViewIsolation;
  /** The `allow` attribute of the host page's frame. */
  allow: string;
  /** The view's policy, for review. */
  policy: string;
  /** The granted origins, for `hostCapabilities.sandbox`. */
  csp: ResourceCsp;
  /** Declared origins that {@link ViewRegistration.narrow} blocks. */
  narrowed?: ResourceCsp | undefined;
  permissions: Partial<Record<Permission, object>>;
  relax: readonly Relaxation[];
  prefersBorder?: boolean | undefined;
  /** Dialects that are translated for it. */
  dialects?: readonly ViewDialect[] | undefined;
  /** Whether the document has no script: it is shown without waiting for a handshake. */
  static?: true | undefined;
}

/**
 * The sandbox origin. It serves proxy pages and view documents under policies in response headers, and
 * refuses everything else. Only the host side can register content; a page can add nothing.
 *
 * @example
 * ```ts source="./sandbox.examples.ts#sandbox"
 * const sandbox = new Sandbox({
 *   secret,
 *   origin: "https://{role}-{label}.apps.example.com",
 *   hosts: ["https://chat.example.com"],
 * });
 * // The host side registers a server's document, and gives `src` to its page ...
 * const { src, policy } = await sandbox.register({
 *   server: "https://weather.example/mcp",
 *   html: "<!doctype html><h1>Sunny</h1>",
 *   meta: { csp: { connectDomains: ["https://api.weather.example"] } },
 * });
 * // ... whose frame requests it here.
 * const response = await sandbox.fetch(request);
 * ```
 */
export class Sandbox {
  readonly #origins: Origins;
  /** The keys of new addresses, and those of all addresses that are served. */
  readonly #keys: Keys;
  readonly #allKeys: readonly Keys[];
  readonly #records: RecordStore;
  readonly #hosts: readonly string[];
  readonly #embedders: readonly string[];
  readonly #isHost: (origin: string) => boolean | Promise<boolean>;
  readonly #embedderPolicy: boolean;
  readonly #isolate: boolean;
  readonly #pageViews: ViewRules | undefined;
  readonly #console: boolean;
  readonly #dialects: readonly ViewDialect[];
  readonly #onerror: (error: unknown) => void;

  /** @throws {VitrineError} `invalid` for options that would not separate apps */
  constructor(options: SandboxOptions) {
    const { secret } = options;
    const secrets = typeof secret === "string" || secret instanceof Uint8Array ? [secret] : secret;
    if (secrets.length === 0 || secrets.some(({ length }) => length < 16))
      throw new VitrineError("invalid", "the sandbox's secret is under 16 bytes");
    this.#origins = typeof options.origin === "string" ? originsOf(options.origin) : options.origin;
    const [keys, ...others] = secrets.map((each) => new Keys(each)) as [Keys, ...Keys[]];
    this.#keys = keys;
    this.#allKeys = [keys, ...others];
    this.#records = options.records ?? new MemoryRecords();
    const { hosts } = options;
    if (hosts.length === 0)
      throw new VitrineError("invalid", "the sandbox needs the origin of a host page in `hosts`");
    this.#hosts = typeof hosts === "function" ? [] : readHosts(hosts, this.#origins);
    this.#isHost =
      typeof hosts === "function"
        ? hosts
        : (origin) => this.#hosts.some((source) => matchesHost(source, origin));
    this.#embedders = readHosts(options.embedders ?? [], this.#origins);
    this.#embedderPolicy = options.embedderPolicy ?? false;
    this.#isolate = !this.#origins.ownSites && !options.publicSuffix;
    this.#pageViews = options.pageViews ? Object(options.pageViews) : undefined;
    // Throws now, rather than for each request.
    if (this.#pageViews) this.#isOpaque(this.#pageViews);
    this.#console = options.console ?? false;
    this.#dialects = options.dialects ?? VIEW_DIALECTS;
    this.#onerror = options.onerror ?? (() => {});
  }

  /**
   * Registers a view. The same view always has the same address.
   *
   * @throws {VitrineError} `bad-resource` if its metadata declares values that a policy cannot contain; see
   * `data`
   */
  async register(view: ViewRegistration): Promise<SandboxedView> {
    const { meta = {}, relax = [] } = view;
    // A byte order mark is not part of a document, and would become text after the script before it.
    const html = view.html?.replace(/^\uFEFF/, "");
    const opaque = this.#isOpaque(view);
    const { policy, narrowed, granted } = policyOf(meta, view, opaque);
    const label = await this.#keys.label(view.server, meta.domain);
    await this.#origins.prepare?.(label);
    const waits = html === undefined;
    const host = await this.#hostOf(view);
    const head: RecordHead = {
      ...policy,
      waits,
      ...(this.#console && { console: true }),
      ...this.#translated(view.dialects),
      ...(host !== undefined && { host }),
    };
    const record = `${JSON.stringify(head)}\n${html ?? ""}`;
    const places = this.#places(label, host);
    // Browsers cache these pages forever. So the name depends on everything that is served under it: pages or
    // policies of another version have other names.
    const pages = [
      await proxyAnswer(head, { ...places, token: "" }, ""),
      viewAnswer(head, { ...places, token: "" }, ""),
      viewAnswer(head, { ...places, token: "" }, "", true),
    ];
    const name = await this.#keys.name(label, `${JSON.stringify(pages)}\n${record}`);
    await this.#records.set(name, record);
    return {
      src: this.#address("proxy", label, name),
      origin: places.proxy,
      viewOrigin: opaque ? "null" : places.view,
      isolation: this.#isolationOf(opaque),
      allow: policy.features.join("; "),
      policy: viewHeaders(head, places)["content-security-policy"] ?? "",
      csp: policy.csp,
      ...(Object.keys(narrowed).length > 0 && { narrowed }),
      permissions: Object.fromEntries(granted.map((permission) => [permission, {}])),
      relax,
      prefersBorder: meta.prefersBorder,
      ...(head.dialects && { dialects: head.dialects }),
      ...(html !== undefined && !head.dialects && isStaticDocument(html) && { static: true as const }),
    };
  }

  /** Whether a view is still registered: an old one may have been dropped. */
  async has({ src }: Pick<SandboxedView, "src">): Promise<boolean> {
    return (await this.#records.get(nameOf(src))) !== undefined;
  }

  /** Drops a view that will not be shown again, also for others who registered the same one. */
  async forget({ src }: Pick<SandboxedView, "src">): Promise<void> {
    await this.#records.delete?.(nameOf(src));
  }

  /** Whether a request is for the sandbox, by its `Host` header: for an application on the same listener. */
  handles(host: string | null | undefined): boolean {
    return this.#origins.read(host ?? null) !== undefined || this.#isOnlyHost(host ?? null);
  }

  /** Answers a browser. Never throws. */
  async fetch(request: Request): Promise<Response> {
    try {
      return (await this.#serve(request)) ?? deny(404);
    } catch (error) {
      this.#onerror(error);
      return deny(500);
    }
  }

  async #serve(request: Request): Promise<Response | undefined> {
    const { pathname, search, host: authority } = new URL(request.url);
    const host = request.headers.get("host") ?? authority;
    const isOnlyHost = this.#isOnlyHost(host);
    const place = isOnlyHost ? readPath(pathname) : this.#origins.read(host);
    // Protects against DNS rebinding.
    if (!place && !isOnlyHost) return deny(403);
    if (request.method !== "GET") return deny(405);
    if (!place) return undefined;
    const name = pathname.slice(pathname.lastIndexOf("/") + 1);
    // A view's document as text: nothing runs or loads until the host wants it.
    const later = search === "?later" && place.role === "view";
    const why = search === "?why" && place.role === "proxy";
    // Only frames may load these pages (in browsers that report it): no cache, worker or separate tab.
    if (
      (search !== "" && !later && !why) ||
      pathname !== this.#pathOf(place.role, place.label, name) ||
      !/^(iframe|null)$/.test(`${request.headers.get("sec-fetch-dest")}`)
    )
      return undefined;
    const found = isPageViewName(name)
      ? await this.#pageView(place, name)
      : await this.#registered(place, name);
    if (why) return await this.#explain(found?.head, place, name);
    if (!found) return undefined;
    const { head, keys, html } = found;
    const token = await keys.token(place.label, name);
    const places = { ...this.#places(place.label, head.host), token };
    const { body, headers } =
      place.role === "proxy"
        ? await proxyAnswer(head, places, this.#address("view", place.label, name))
        : viewAnswer(head, places, html, later);
    return new Response(body, { headers });
  }

  /** A registered view. */
  async #registered({ label }: SandboxPlace, name: string): Promise<Found | undefined> {
    const keys = await this.#keysOf(label, name);
    const record = keys && (await this.#records.get(name));
    if (!keys || record === undefined) return undefined;
    const end = record.indexOf("\n");
    return { head: JSON.parse(record.slice(0, end)), keys, html: record.slice(end + 1) };
  }

  /** A view that a page shows by itself: its address says everything, and names the page and the origin. */
  async #pageView({ label }: SandboxPlace, name: string): Promise<Found | undefined> {
    const rules = this.#pageViews;
    const view = rules && readPageViewName(name);
    if (!view || label !== (await pageViewLabel(view)) || !(await this.#isPage(view))) return undefined;
    const permissions = Object.fromEntries(view.permissions.map((permission) => [permission, {}]));
    const { policy } = policyOf({ csp: view.csp, permissions }, rules, this.#isOpaque(rules));
    const head: RecordHead = {
      ...policy,
      waits: true,
      ...(this.#console && { console: true }),
      ...this.#translated(view.dialects),
      host: view.host,
      fromPage: true,
    };
    return { head, keys: this.#keys, html: "" };
  }

  /** Whether a view is for a host page. */
  async #isPage({ host }: PageView): Promise<boolean> {
    // A pattern would be many pages, which share an origin.
    if (host.includes("*")) return false;
    try {
      return (await this.#hostOf({ host })) !== undefined;
    } catch (error) {
      if (error instanceof VitrineError) return false;
      throw error;
    }
  }

  /** The keys that made an address. */
  async #keysOf(label: string, name: string): Promise<Keys | undefined> {
    if (!/^[a-z2-7]{52}$/.test(name)) return undefined;
    for (const keys of this.#allKeys) if (await keys.isOurs(label, name)) return keys;
    return undefined;
  }

  /** Answers a page that could not show a view. */
  async #explain(head: RecordHead | undefined, { label }: SandboxPlace, name: string): Promise<Response> {
    const hosts = head?.host === undefined ? this.#hosts : [head.host];
    const isFromPage = isPageViewName(name);
    // If only its page is not a host, the view itself is known.
    const view = isFromPage && this.#pageViews ? readPageViewName(name) : undefined;
    const isKnown = head !== undefined || (view !== undefined && label === (await pageViewLabel(view)));
    const isOff = isFromPage && !this.#pageViews;
    const body = whyPage({ hosts, embedders: this.#embedders, isKnown, isOff });
    return new Response(body, { headers: whyHeaders(await whyScriptHash) });
  }

  /** The page that a view is for, if it is for one. */
  async #hostOf({ host }: Pick<ViewRegistration, "host">): Promise<string | undefined> {
    if (host === undefined) {
      if (this.#hosts.length > 0) return undefined;
      throw new VitrineError("invalid", "`hosts` is a function, so each view needs its `host`");
    }
    const [origin = ""] = readHosts([host], this.#origins);
    if (await this.#isHost(origin)) return origin;
    throw new VitrineError("invalid", `the page ${host} is not one of the sandbox's hosts`);
  }

  /** The dialects of a view that are switched on, in one order. */
  #translated(dialects: readonly ViewDialect[] = []): Pick<RecordHead, "dialects"> {
    const translated = this.#dialects.filter((each) => dialects.includes(each));
    return translated.length > 0 ? { dialects: translated } : {};
  }

  /** With one host for all apps, origins would be the same for all. */
  #isOpaque({ opaque }: ViewRules): boolean {
    if (!this.#origins.onlyHost) return opaque ?? this.#origins.shareCookies;
    if (opaque === false)
      throw new VitrineError("invalid", "a view needs a host of its own for an origin of its own");
    return true;
  }

  #isolationOf(opaque: boolean): ViewIsolation {
    if (this.#origins.onlyHost) return "shared";
    if (opaque) return "opaque";
    return this.#isolate ? "origin" : "site";
  }

  #isOnlyHost(host: string | null): boolean {
    return host !== null && host.toLowerCase() === this.#origins.onlyHost;
  }

  #pathOf(role: Role, label: string, name: string): string {
    return this.#origins.onlyHost ? pagePath(role, label, name) : `/${name}`;
  }

  #address(role: Role, label: string, name: string): string {
    return this.#origins.of(role, label) + this.#pathOf(role, label, name);
  }

  #places(label: string, host: string | undefined): Places {
    const [proxy, view] = [this.#origins.of("proxy", label), this.#origins.of("view", label)];
    return {
      hosts: host === undefined ? this.#hosts : [host],
      embedders: this.#embedders,
      proxy,
      view,
      isolate: this.#isolate,
      embedderPolicy: this.#embedderPolicy,
    };
  }
}

/** A view to serve. */
interface Found {
  head: RecordHead;
  keys: Keys;
  html: string;
}

const originsOf = (origin: string): Origins =>
  /[{}]/.test(origin) ? new PatternOrigins(origin) : new OneHostOrigins(origin);

/** The name at the end of an address. */
const nameOf = (src: string): string => src.slice(src.lastIndexOf("/") + 1);

const deny = (status: number): Response => new Response("Nothing here.\n", { status, headers: DENY_ALL });
