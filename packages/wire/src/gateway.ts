/**
 * Messages between a page and a gateway, besides those of views. They are JSON-RPC over a session
 * (docs/decisions/010).
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
  ViewDialect,
} from "@vitrine/protocol";
import type { ConversationAsks, ConversationNotices, ConversationRequests } from "./conversation.js";
import type { InspectionNotices, InspectionRequests } from "./inspection.js";
import type { ModelRequests } from "./models.js";
import type { SetupNotices, SetupRequests } from "./setup.js";
import type { SignInNotices, SignInRequests } from "./sign-in.js";

/** A server, as a page sees it. */
export interface ServerSummary {
  name: string;
  /**
   * The server's identity: a hash of how it is reached. Another server may have the same name at another
   * time.
   */
  identity?: string | undefined;
  /** A notice for the user that another server had this name before, shown while this gateway runs. */
  notice?: string | undefined;
  state: "idle" | "starting" | "ready" | "waiting" | "unauthorized" | "stopped";
  /** Why it is not ready, for the user, with the end of the server's stderr. */
  problem?: { code: string; message: string; stderr?: string | undefined } | undefined;
  /**
   * How its process last exited unexpectedly, with `at` in milliseconds since 1970. It stays after a
   * recovery, until the server is restarted on purpose or has run for ten minutes.
   */
  crash?: { at: number; message: string; stderr?: string | undefined } | undefined;
  /**
   * The first 200 characters of the first line on its stdout that was not a message: a server should print
   * none.
   */
  garbage?: string | undefined;
  /** Time of the next attempt, in milliseconds since 1970. */
  retryAt?: number | undefined;
  /** Where the user must sign in. Always `https:`, or a loopback address. */
  authorizeUrl?: string | undefined;
  info?: Implementation | undefined;
  /** How to use it, in its own words, for a model. */
  instructions?: string | undefined;
  capabilities: GatewayServerCapabilities;
  protocolVersion?: string | undefined;
  /** How it is reached: as a program on this machine, by Streamable HTTP, or by its predecessor SSE. */
  transport?: "stdio" | "http" | "sse" | undefined;
  /** Its isolation: `process`, `bubblewrap`, `container`. */
  isolation?: string | undefined;
}

/** Capabilities that the server announced. */
export interface GatewayServerCapabilities {
  tools?: { listChanged?: boolean | undefined } | undefined;
  resources?: { listChanged?: boolean | undefined; subscribe?: boolean | undefined } | undefined;
  prompts?: { listChanged?: boolean | undefined } | undefined;
  completions?: object | undefined;
  logging?: object | undefined;
  tasks?:
    | { list?: object | undefined; cancel?: object | undefined; requests?: object | undefined }
    | undefined;
  /** Extensions by their names, such as `io.modelcontextprotocol/tasks`. */
  extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** Everything that a server offers. */
export interface ServerCatalogue {
  tools: Tool[];
  resources: Resource[];
  templates: ResourceTemplate[];
  prompts: Prompt[];
  /** Tools with a UI, and the problems of those that cannot be shown. */
  views: { tool: string; uri: string; hash?: string | undefined; problem?: string | undefined }[];
  /**
   * A sentence for each list, except the tools, that the server did not return completely: which, and why.
   */
  missing?: string[] | undefined;
}

/** Where and how a view is shown: `SandboxedView` of `@vitrine/sandbox`. */
export interface ViewPlace {
  src: string;
  origin: string;
  viewOrigin: string;
  /** The barrier between the view and other apps: a site, an origin, no origin on its own host, or no origin on a shared host. */
  isolation?: "site" | "origin" | "opaque" | "shared" | undefined;
  allow: string;
  policy: string;
  csp: ResourceCsp;
  /** Declared origins that are blocked because the page asked for a narrower policy. */
  narrowed?: ResourceCsp | undefined;
  permissions: ResourcePermissions;
  relax: readonly string[];
  prefersBorder?: boolean | undefined;
  /** Dialects that the sandbox translates for it. */
  dialects?: readonly ViewDialect[] | undefined;
  static?: true | undefined;
}

/** A call in a conversation. */
export interface ConversationCall {
  conversation: string;
  item: string;
}

/** A view that the gateway knows. Its id comes from the gateway and is the name of its channel. */
export interface OpenedView {
  view: string;
  /** Empty for a document without a server, whose requests are refused. */
  server: string;
  /** The server's identity. */
  identity?: string | undefined;
  capabilities: GatewayServerCapabilities;
  tool?: Tool | undefined;
  /** The address of its UI, or the name of a document without a server. */
  uri: string;
  /** The SHA-256 of its document, as in the catalogue: another hash means another UI. */
  hash?: string | undefined;
  /** Restrictions of its policy that the page asked for. */
  narrow?: readonly Narrowing[] | undefined;
  /** Dialects that the page asked for. */
  dialects?: readonly ViewDialect[] | undefined;
  /** Where it is shown; undefined if it cannot be shown, with the reason in {@link problem}. */
  place?: ViewPlace | undefined;
  problem?: { code: string; message: string } | undefined;
  /** The conversation entry whose call it shows. */
  call?: ConversationCall | undefined;
  /** The state of its call, kept for a page that reloads. */
  input?: Record<string, unknown> | undefined;
  /** The server's last progress report of a running call. */
  progress?: Progress | undefined;
  result?: CallToolResult | undefined;
  cancelled?: string | undefined;
}

/** A question to the user at the page, with everything that a prompt must show. */
export interface GatewayQuestion {
  /** The gateway's id of the question. */
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
  /** Durations for which the answer can be remembered. */
  remember: ("session" | "always")[];
  /** Scope of a remembered answer, as text after "allow", such as `all ordinary tools of weather`. */
  scope?: string | undefined;
  /** Explains the scope, as sentences. */
  scopeNote?: string | undefined;
  /** A remembered answer covers all ordinary tools of the server, or a tool of the app itself. */
  covers?: "tools" | "own-tool" | undefined;
  /** The requester, if it is not an app. */
  asker?: "model" | "agent" | undefined;
  /** The agent's own name. */
  agent?: string | undefined;
  /** How often the user is asked about the server's apps, if the answer may change that. */
  level?: "always" | "changes" | "important" | undefined;
}

/** The user's answer. */
export interface GatewayAnswer {
  answer: "allow" | "deny";
  remember?: "once" | "session" | "always" | undefined;
  /** The new level, if the user chose another one. */
  level?: GatewayQuestion["level"];
}

/** Requests of a page, on channel `.`. */
export interface GatewayRequests
  extends ConversationRequests,
    InspectionRequests,
    ModelRequests,
    SetupRequests,
    SignInRequests {
  "gateway/servers": {
    params: Record<string, never>;
    result: {
      servers: ServerSummary[];
      /** Whether the operator lets programs drive the page and answer for the user. */
      testMode?: true | undefined;
      /** Whether the user may change the settings file: the requests of `setup.ts`. */
      mayAdminister?: true | undefined;
    };
  };
  /**
   * Lists what a server offers. With `for`, only the tools (and their views) that a model may be offered, or
   * that the server's views may call. Without it, everything, for a user to inspect.
   */
  "gateway/catalogue": {
    params: { server: string; for?: ToolVisibility | undefined };
    result: ServerCatalogue;
  };
  /**
   * Opens the view of a tool, or of a resource by its address. With `arguments`, it also calls the tool as
   * the model or the user would. The answer has them as `input`; the view's channel receives
   * `gateway/progress` while the call runs, and `ui/notifications/tool-result` or
   * `ui/notifications/tool-cancelled` when it ends. With `call`, it shows a call of a conversation from its
   * current state: the channel may receive `ui/notifications/tool-input-partial` and
   * `ui/notifications/tool-input` first. With `narrow`, its policy blocks more than the view declares; a page
   * can never allow more.
   */
  "gateway/open": {
    params: {
      server: string;
      tool?: string | undefined;
      uri?: string | undefined;
      arguments?: Record<string, unknown> | undefined;
      call?: ConversationCall | undefined;
      narrow?: readonly Narrowing[] | undefined;
      /** Dialects to translate in addition to those that the view declares, as the imitated host has them. */
      dialects?: readonly ViewDialect[] | undefined;
      /** The server's identity: if another server has the name now, the request is refused with `server-replaced`. */
      identity?: string | undefined;
      /**
       * Whether the page takes the result of the shown call from `conversation/changed`: then the gateway does
       * not send it a second time on the view's channel.
       */
      isFollowed?: boolean | undefined;
    };
    result: OpenedView;
  };
  /**
   * Shows a document without a server, such as one of a recording: under the policy of its `meta`, without
   * permissions, and at a unique origin. Requests on its channel are refused.
   */
  "gateway/show": {
    params: {
      name: string;
      html: string;
      /** `_meta.ui` of its resource. */
      meta?: ResourceMeta | undefined;
      /** As in `gateway/open`. */
      narrow?: readonly Narrowing[] | undefined;
      /** Dialects to translate. */
      dialects?: readonly ViewDialect[] | undefined;
    };
    result: OpenedView;
  };
  /** Cancels the call of a view. `cancelled` is false if there is no running call. */
  "gateway/cancel": { params: { view: string }; result: { cancelled: boolean } };
  "gateway/close": { params: { view: string }; result: Record<string, never> };
  /** The views of this session, for a page that reloads. */
  "gateway/views": {
    params: {
      /** As for `gateway/open`. */
      isFollowed?: boolean | undefined;
    };
    result: { views: OpenedView[] };
  };
  /**
   * Calls a tool as the model or the user would: only tools that the model may see. With a `progressToken` in
   * `_meta`, channel `.` receives `notifications/progress`.
   */
  "gateway/call": {
    params: {
      server: string;
      name: string;
      arguments?: Record<string, unknown> | undefined;
      /** As for `gateway/open`. */
      identity?: string | undefined;
    };
    result: CallToolResult;
  };
  /** Starts a server that is idle or failed, or after the user has signed in. */
  "gateway/start": { params: { server: string }; result: ServerSummary };
  /**
   * Restarts a server and all its processes. Running calls end as if the server had exited; views stay and
   * continue with the new one. A shared server is restarted for all users, otherwise only for this one.
   */
  "gateway/restart": { params: { server: string }; result: ServerSummary };
}

/** Requests to a page, on channel `.`. */
export interface GatewayAsks extends ConversationAsks {
  "gateway/ask": { params: GatewayQuestion; result: GatewayAnswer };
}

/** Notifications to a page, on channel `.`. */
export interface GatewayNotices extends ConversationNotices, InspectionNotices, SetupNotices, SignInNotices {
  "gateway/status": ServerSummary;
  /** A server's lists changed, or may have after a restart: request its catalogue again. */
  "gateway/changed": { server: string };
  /** A question is obsolete. */
  "gateway/withdrawn": { id: string };
  /** The audit log cannot be written: calls with side effects are refused until it can. */
  "gateway/alarm": { active: boolean; message: string };
}

/**
 * The gateway's answer, on a view's channel, to an action that the page performs itself: permission, with
 * these params.
 */
export interface GatewayPermit {
  permit: number;
  params: Record<string, unknown>;
}

/** The outcome of a permitted action. The page reports it on the view's channel as `gateway/outcome`. */
export interface GatewayOutcome {
  permit: number;
  outcome: "ok" | "failed" | "cancelled";
  code?: string | undefined;
}
