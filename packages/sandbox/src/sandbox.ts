/**
 * The sandbox origin: what the host side registers, and what browsers are served.
 *
 * @module
 */
import {
  asksForPermission,
  buildCsp,
  type Narrowing,
  narrowCsp,
  PERMISSION_FEATURES,
  type Permission,
  type RejectedSource,
  type Relaxation,
  type ResourceCsp,
  type ResourceMeta,
  VitrineError,
} from "@vitrine/protocol";
import { DENY_ALL, type PagePolicy, type Places, proxyHeaders, viewHeaders } from "./headers.js";
import { Keys } from "./keys.js";
import { type Origins, PatternOrigins } from "./origins.js";
import { beforeDocument, beforeText, loaderPage, proxyPage, proxyScriptHash } from "./pages.js";
import { MemoryRecords, type RecordStore } from "./records.js";
import { isStaticDocument } from "./static-document.js";

/** What a sandbox is made of. */
export interface SandboxOptions {
  /** Known to the host side alone. Keep it: with another one every app gets other origins and empty storage. */
  secret: string | Uint8Array;
  /**
   * Where apps live, with `{role}` and `{label}` in the host name: `http://{role}.{label}.localhost:8091`, or
   * `https://{role}-{label}.apps.example.com`. Never a name of the host page's own site.
   */
  origin: string | Origins;
  /** The origins of the host pages: nobody else may show an app. */
  hosts: readonly string[];
  records?: RecordStore | undefined;
  /** The domain of `origin` is on the public suffix list, so that its labels are sites of their own. */
  publicSuffix?: boolean | undefined;
  /**
   * Views report what their scripts write to the console, for the developers of apps: a script that does so stands before
   * each document. Off by default.
   */
  console?: boolean | undefined;
  /** Hears why a browser was answered with an error: `records` failed, as a rule. */
  onerror?: ((error: unknown) => void) | undefined;
}

/** One view, as the host side wants it shown. */
export interface ViewRegistration {
  /** Who the server is: views of one server share an origin, views of two never do. */
  server: string;
  /** The document. Without it, the host page hands it over by `sandbox-resource-ready` (S03). */
  html?: string | undefined;
  /** `_meta.ui` of its resource, as `readUiDocument` gives it. */
  meta?: ResourceMeta | undefined;
  /** What the operator opens for this server beyond the specification. */
  relax?: readonly Relaxation[] | undefined;
  /** What is closed although the view declares it. */
  narrow?: readonly Narrowing[] | undefined;
  /** Which of the permissions that the view asks for it gets; none by default, only `clipboardWrite` if `opaque`. */
  grant?: ((permission: Permission) => boolean) | undefined;
  /**
   * Take the view's origin away: no storage, no cookies, and `null` to every server it talks to. So it is by
   * default where apps would share cookies: with a port for each app in place of a name.
   */
  opaque?: boolean | undefined;
}

/** What a host page needs to show a view. It holds no secret. */
export interface SandboxedView {
  /** The address of the proxy page: the `src` of the host page's frame. */
  src: string;
  /** The proxy's origin: the one to speak to. */
  origin: string;
  /** The view's own origin, or `null`: what servers that it calls see. */
  viewOrigin: string;
  /** The `allow` attribute of the host page's frame. */
  allow: string;
  /** The policy that the view runs under, for review (S12). */
  policy: string;
  /** What was granted, for `hostCapabilities.sandbox`. */
  csp: ResourceCsp;
  /** Declared, and closed by {@link ViewRegistration.narrow}. */
  narrowed?: ResourceCsp | undefined;
  permissions: Partial<Record<Permission, object>>;
  relax: readonly Relaxation[];
  prefersBorder?: boolean | undefined;
  /** The document has no script: it is shown as it is, and no handshake is waited for. */
  static?: true | undefined;
}

/** A record is this, as JSON, and then the document: it need not be parsed to be served. */
interface RecordHead extends PagePolicy {
  /** The document comes by message. */
  waits: boolean;
  /** It reports what is written to its console. */
  console?: true;
}

/**
 * The sandbox origin. It serves proxy pages and view documents, each under policies that are response headers,
 * and refuses everything else. What it serves was registered by the host side; a page can add nothing.
 *
 * @example
 * ```ts source="./sandbox.examples.ts#sandbox"
 * const sandbox = new Sandbox({
 *   secret,
 *   origin: "https://{role}-{label}.apps.example.com",
 *   hosts: ["https://chat.example.com"],
 * });
 * // The host side registers what a server gave it, and hands `src` to its page ...
 * const { src, policy } = await sandbox.register({
 *   server: "https://weather.example/mcp",
 *   html: "<!doctype html><h1>Sunny</h1>",
 *   meta: { csp: { connectDomains: ["https://api.weather.example"] } },
 * });
 * // ... whose frame asks for it here.
 * const response = await sandbox.fetch(request);
 * ```
 */
export class Sandbox {
  readonly #origins: Origins;
  readonly #keys: Keys;
  readonly #records: RecordStore;
  readonly #hosts: readonly string[];
  readonly #isolate: boolean;
  readonly #console: boolean;
  readonly #onerror: (error: unknown) => void;

  /** @throws {VitrineError} `invalid` for options that would not keep apps apart */
  constructor(options: SandboxOptions) {
    if (options.secret.length < 16)
      throw new VitrineError("invalid", "the sandbox's secret is under 16 bytes");
    this.#origins = typeof options.origin === "string" ? new PatternOrigins(options.origin) : options.origin;
    this.#keys = new Keys(options.secret);
    this.#records = options.records ?? new MemoryRecords();
    this.#hosts = readHosts(options.hosts, this.#origins);
    this.#isolate = !this.#origins.ownSites && !options.publicSuffix;
    this.#console = options.console ?? false;
    this.#onerror = options.onerror ?? (() => {});
  }

  /**
   * Makes a view ready to be shown. The same view has the same address each time.
   *
   * @throws {VitrineError} `bad_resource` when its metadata declares what cannot be in a policy (B08); see `data`
   */
  async register(view: ViewRegistration): Promise<SandboxedView> {
    const { meta = {}, relax = [], narrow = [], grant = () => false } = view;
    // A byte order mark is no part of a document, and would be text in it where something stands before.
    const html = view.html?.replace(/^\uFEFF/, "");
    const opaque = view.opaque ?? this.#origins.shareCookies;
    const { accepted, rejected } = buildCsp(meta.csp);
    if (rejected.length > 0) throw badResource(rejected);
    const { csp, narrowed } = narrowCsp(accepted, narrow);
    const granted = (Object.keys(PERMISSION_FEATURES) as Permission[]).filter(
      (permission) =>
        asksForPermission(meta.permissions?.[permission]) &&
        // Browsers give a page without an origin no device and no place, whatever its policy says.
        (!opaque || permission === "clipboardWrite") &&
        grant(permission),
    );
    const features = granted.map((permission) => PERMISSION_FEATURES[permission]);
    const label = await this.#keys.label(view.server, meta.domain);
    await this.#origins.prepare?.(label);
    const waits = html === undefined;
    const head: RecordHead = { csp, relax, features, opaque, waits, ...(this.#console && { console: true }) };
    const record = `${JSON.stringify(head)}\n${html ?? ""}`;
    const places = this.#places(label);
    // Browsers keep these pages for good. So the name stands for all that is served under it: pages or policies of
    // another version have other names.
    const pages = [
      await proxyAnswer(head, { ...places, token: "" }, ""),
      viewAnswer(head, { ...places, token: "" }, ""),
      viewAnswer(head, { ...places, token: "" }, "", true),
    ];
    const name = await this.#keys.name(label, `${JSON.stringify(pages)}\n${record}`);
    await this.#records.set(name, record);
    return {
      src: `${places.proxy}/${name}`,
      origin: places.proxy,
      viewOrigin: opaque ? "null" : places.view,
      allow: features.join("; "),
      policy: viewHeaders(head, places)["content-security-policy"] ?? "",
      csp,
      ...(Object.keys(narrowed).length > 0 && { narrowed }),
      permissions: Object.fromEntries(granted.map((permission) => [permission, {}])),
      relax,
      prefersBorder: meta.prefersBorder,
      ...(html !== undefined && isStaticDocument(html) && { static: true as const }),
    };
  }

  /** Whether a view can still be shown: one that was not for long may have made room for others. */
  async has({ src }: Pick<SandboxedView, "src">): Promise<boolean> {
    return (await this.#records.get(new URL(src).pathname.slice(1))) !== undefined;
  }

  /** Lets go of a view that will not be shown again; who registered the same one has lost it, too. */
  async forget({ src }: Pick<SandboxedView, "src">): Promise<void> {
    await this.#records.delete?.(new URL(src).pathname.slice(1));
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
    const { pathname, search, host } = new URL(request.url);
    const place = this.#origins.read(request.headers.get("host") ?? host);
    // B18: a name that was bent to lead here.
    if (!place) return deny(403);
    if (request.method !== "GET") return deny(405);
    const name = pathname.slice(1);
    // A view's document as text: nothing of it runs, and nothing that it names is loaded, until the host wants it.
    const later = search === "?later" && place.role === "view";
    // Only a frame has a use for these pages (browsers that tell). Not in a cache, a worker or a tab of its own.
    if ((search !== "" && !later) || !/^(iframe|null)$/.test(`${request.headers.get("sec-fetch-dest")}`))
      return undefined;
    if (!/^[a-z2-7]{52}$/.test(name) || !(await this.#keys.isOurs(place.label, name))) return undefined;
    const record = await this.#records.get(name);
    if (record === undefined) return undefined;
    const end = record.indexOf("\n");
    const head = JSON.parse(record.slice(0, end)) as RecordHead;
    const places = { ...this.#places(place.label), token: await this.#keys.token(place.label, name) };
    const { body, headers } =
      place.role === "proxy"
        ? await proxyAnswer(head, places, `${places.view}/${name}`)
        : viewAnswer(head, places, record.slice(end + 1), later);
    return new Response(body, { headers });
  }

  #places(label: string): Places {
    const [proxy, view] = [this.#origins.of("proxy", label), this.#origins.of("view", label)];
    return { hosts: this.#hosts, proxy, view, isolate: this.#isolate };
  }
}

interface Answer {
  body: string;
  headers: Record<string, string>;
}

/** Where the pages of a view are, and what its proxy and the script before its document know of each other. */
type PagePlaces = Places & { token: string };

async function proxyAnswer(head: RecordHead, places: PagePlaces, src: string): Promise<Answer> {
  const { features, opaque } = head;
  return {
    body: proxyPage({ ...places, src, allow: features.join("; "), opaque }),
    headers: proxyHeaders(head, places, { script: await proxyScriptHash, src }),
  };
}

function viewAnswer(head: RecordHead, places: PagePlaces, html: string, later = false): Answer {
  const { proxy, token } = places;
  const view = { ...head, proxy, token, copy: head.features.includes("clipboard-write") };
  const before = later ? beforeText(view) : beforeDocument(html, view);
  return {
    body: head.waits ? loaderPage(view) : before + html,
    headers: viewHeaders(head, places),
  };
}

const deny = (status: number): Response => new Response("Nothing here.\n", { status, headers: DENY_ALL });

function readHosts(hosts: readonly string[], origins: Origins): string[] {
  if (hosts.length === 0)
    throw new VitrineError("invalid", "the sandbox needs the origin of a host page in `hosts`");
  const { rejected } = buildCsp(undefined, { frameAncestors: hosts });
  return hosts.map((host, index) => {
    if (!URL.canParse(host) || new URL(host).origin !== host || !/^https?:/.test(host)) {
      throw new VitrineError(
        "invalid",
        `a host must be an origin such as https://chat.example, and is "${host}"`,
      );
    }
    // In a policy it would be missing, and no app would ever be shown.
    const unnamed = rejected.find(({ field }) => field === `frameAncestors[${index}]`);
    if (unnamed) throw new VitrineError("invalid", `the host ${host} ${unnamed.reason}`);
    // S01: a host page on a sandbox origin would be an app's neighbour.
    if (origins.read(new URL(host).host)) throw new VitrineError("invalid", `${host} is an app's own origin`);
    return host;
  });
}

function badResource(rejected: RejectedSource[]): VitrineError {
  const message = rejected.map(({ field, reason }) => `${field} ${reason}`).join("; ");
  return new VitrineError("bad_resource", message, { data: { rejected } });
}
