/**
 * What a page and a gateway say to each other, beside what views say. The messages are JSON-RPC; a session carries
 * them (docs/decisions/010).
 *
 * @module
 */

import type {
  CallToolResult,
  Implementation,
  Narrowing,
  Progress,
  Prompt,
  Resource,
  ResourceCsp,
  ResourceMeta,
  ResourcePermissions,
  ResourceTemplate,
  Tool,
  ToolVisibility,
} from "@vitrine/protocol";
import type { ConversationAsks, ConversationNotices, ConversationRequests } from "./conversation.js";

/** A server, as a page sees it. */
export interface ServerSummary {
  name: string;
  /** Which server it is: a hash of how it is reached. Another one may have the same name at another time. */
  identity?: string | undefined;
  /** Another server had this name before: a sentence for the person, as long as this gateway runs. */
  notice?: string | undefined;
  state: "idle" | "starting" | "ready" | "waiting" | "unauthorized" | "stopped";
  /** Why it is not ready, for a person to read, with the end of what the server wrote to stderr. */
  problem?: { code: string; message: string; stderr?: string | undefined } | undefined;
  /**
   * How its process ended last without being told to, `at` in milliseconds since 1970: also when it is back, until it is restarted
   * on purpose or has run for ten minutes since.
   */
  crash?: { at: number; message: string; stderr?: string | undefined } | undefined;
  /** The first line on its stdout that was no message, 200 characters of it: a server that runs should print none. */
  garbage?: string | undefined;
  /** When it is tried again, in milliseconds since 1970. */
  retryAt?: number | undefined;
  /** Where a person must sign in. Always `https:`, or a loopback address. */
  authorizeUrl?: string | undefined;
  info?: Implementation | undefined;
  capabilities: GatewayServerCapabilities;
  protocolVersion?: string | undefined;
  /** What it runs in: `process`, `bubblewrap`, `container`. */
  isolation?: string | undefined;
}

/** What the server said it can do. */
export interface GatewayServerCapabilities {
  tools?: { listChanged?: boolean | undefined } | undefined;
  resources?: { listChanged?: boolean | undefined; subscribe?: boolean | undefined } | undefined;
  prompts?: { listChanged?: boolean | undefined } | undefined;
}

/** What a server offers. */
export interface ServerCatalogue {
  tools: Tool[];
  resources: Resource[];
  templates: ResourceTemplate[];
  prompts: Prompt[];
  /** Tools with a UI, and what is wrong with those that cannot be shown. */
  views: { tool: string; uri: string; hash?: string | undefined; problem?: string | undefined }[];
  /** A sentence for each list, but that of its tools, of which the server did not hand over all: what, and why. */
  missing?: string[] | undefined;
}

/** Where and how a view is shown: `SandboxedView` of `@vitrine/sandbox`. */
export interface ViewPlace {
  src: string;
  origin: string;
  viewOrigin: string;
  allow: string;
  policy: string;
  csp: ResourceCsp;
  /** Declared, and closed because the page asked for a narrower policy. */
  narrowed?: ResourceCsp | undefined;
  permissions: ResourcePermissions;
  relax: readonly string[];
  prefersBorder?: boolean | undefined;
  static?: true | undefined;
}

/** A call in a conversation. */
export interface ConversationCall {
  conversation: string;
  item: string;
}

/** A view that the gateway knows: its id is the gateway's own, and the name of its channel. */
export interface OpenedView {
  view: string;
  /** Empty for a document that has none: nothing can be asked there. */
  server: string;
  /** Which server it is. */
  identity?: string | undefined;
  capabilities: GatewayServerCapabilities;
  tool?: Tool | undefined;
  /** The address of its UI; of a document without a server its name. */
  uri: string;
  /** The SHA-256 of its document, as in the catalogue: with another one it is another UI. */
  hash?: string | undefined;
  /** How its policy is narrower than what it declares, as the page asked for. */
  narrow?: readonly Narrowing[] | undefined;
  /** Where it is shown; undefined when it cannot be, and then {@link problem} says why (C07, C08). */
  place?: ViewPlace | undefined;
  problem?: { code: string; message: string } | undefined;
  /** The entry of a conversation whose call it shows. */
  call?: ConversationCall | undefined;
  /** The call that it shows, as far as it has come: kept for a page that was reloaded. */
  input?: Record<string, unknown> | undefined;
  /** What the server said last of a call that is under way. */
  progress?: Progress | undefined;
  result?: CallToolResult | undefined;
  cancelled?: string | undefined;
}

/** A question to the person at the page: what a prompt must show. */
export interface GatewayQuestion {
  /** The gateway's own name for it. */
  id: string;
  view: string;
  server: string;
  method: string;
  subject: string;
  title: string;
  reason: string;
  params: Record<string, unknown>;
  tool?: Tool | undefined;
  link?: { url: string; host: string; display: string } | undefined;
  files?: string[] | undefined;
  /** Which answers can be remembered. */
  remember: ("session" | "always")[];
  /** What an answer that is remembered covers, in words for after "allow", such as `all ordinary tools of weather`. */
  scope?: string | undefined;
}

/** What a person answers. */
export interface GatewayAnswer {
  answer: "allow" | "deny";
  remember?: "once" | "session" | "always" | undefined;
}

/** What a page asks on channel `.`. */
export interface GatewayRequests extends ConversationRequests {
  "gateway/servers": {
    params: Record<string, never>;
    result: {
      servers: ServerSummary[];
      /** The operator lets programs drive the page, and answer in the person's place. */
      testMode?: true | undefined;
    };
  };
  /**
   * What a server offers. With `for`, only the tools, and the views of those, that a model may be offered, or that the
   * server's views may call (C02); without it all of them, for a person to look at.
   */
  "gateway/catalogue": {
    params: { server: string; for?: ToolVisibility | undefined };
    result: ServerCatalogue;
  };
  /**
   * Opens a view of a tool, or of a resource by its address. With `arguments` the tool is called too, as the model or
   * the person would: the answer has them as `input`, and the view's channel hears `gateway/progress` while it is under
   * way, and `ui/notifications/tool-result` or `ui/notifications/tool-cancelled` when it is over. With `call` it shows a call
   * of a conversation, from wherever that is: its channel may hear `ui/notifications/tool-input-partial` and
   * `ui/notifications/tool-input` before the rest. With `narrow` its policy keeps out more than the view declares; nothing
   * that a page says opens more.
   */
  "gateway/open": {
    params: {
      server: string;
      tool?: string | undefined;
      uri?: string | undefined;
      arguments?: Record<string, unknown> | undefined;
      call?: ConversationCall | undefined;
      narrow?: readonly Narrowing[] | undefined;
      /** The server's identity: if another server has the name now, the request is refused with `server-replaced`. */
      identity?: string | undefined;
    };
    result: OpenedView;
  };
  /**
   * Shows a document that has no server, such as that of a recording: under the policy that its `meta` declares, without
   * permissions, and at an origin that no other document has. What it asks on its channel is refused.
   */
  "gateway/show": {
    params: {
      name: string;
      html: string;
      /** `_meta.ui` of its resource. */
      meta?: ResourceMeta | undefined;
      /** As for `gateway/open`. */
      narrow?: readonly Narrowing[] | undefined;
    };
    result: OpenedView;
  };
  /** Takes back the call that a view shows. Of one that is over, or never was, nothing is `cancelled`. */
  "gateway/cancel": { params: { view: string }; result: { cancelled: boolean } };
  "gateway/close": { params: { view: string }; result: Record<string, never> };
  /** The views of this session: after a reload. */
  "gateway/views": { params: Record<string, never>; result: { views: OpenedView[] } };
  /**
   * Calls a tool as the model or the person would: only tools that the model may see (C02). With a `progressToken` in its
   * `_meta`, channel `.` hears `notifications/progress`.
   */
  "gateway/call": {
    params: { server: string; name: string; arguments?: Record<string, unknown> | undefined };
    result: CallToolResult;
  };
  /** Starts a server that waits or failed; or after a person has signed in. */
  "gateway/start": { params: { server: string }; result: ServerSummary };
  /**
   * Ends a server and all that it started, and starts it again. Calls under way end as when a server does; views stay, and
   * go on with the new one. Of a server that all users share, everybody's; else only one's own.
   */
  "gateway/restart": { params: { server: string }; result: ServerSummary };
}

/** What a page is asked on channel `.`. */
export interface GatewayAsks extends ConversationAsks {
  "gateway/ask": { params: GatewayQuestion; result: GatewayAnswer };
}

/** What a page is told on channel `.`. */
export interface GatewayNotices extends ConversationNotices {
  "gateway/status": ServerSummary;
  /** The lists of a server changed, or it was started again and they may have: ask for its catalogue again. */
  "gateway/changed": { server: string };
  /** A question no longer matters. */
  "gateway/withdrawn": { id: string };
  /** The audit log cannot be written: what has side effects is refused until it can. */
  "gateway/alarm": { active: boolean; message: string };
}

/** The gateway's answer, on a view's channel, to what the page itself does: it may, with these params. */
export interface GatewayPermit {
  permit: number;
  params: Record<string, unknown>;
}

/** How it ended; told by the page on the view's channel as `gateway/outcome`. */
export interface GatewayOutcome {
  permit: number;
  outcome: "ok" | "failed" | "cancelled";
  code?: string | undefined;
}
