/**
 * The gateway's metrics. Operators' dashboards use these names, so they do not change.
 *
 * @module
 */
import {
  BYTES,
  type Counter,
  type Gauge,
  type Histogram,
  type Metrics,
  type Reading,
  SECONDS,
} from "./metrics.js";

/** The metrics, updated by the parts of the gateway. */
export interface GatewayMetrics {
  /** `server`, `method`, `outcome` */
  readonly calls: Counter;
  /** `server`, `method` */
  readonly callSeconds: Histogram;
  /** `direction`: `params` or `result` */
  readonly callBytes: Histogram;
  /** `code`: the reason of a refusal, by the guard or by the listener */
  readonly denials: Counter;
  /**
   * `queue`: `pages` (characters that pages have not read), `calls` (calls that wait for their server, the
   * user or their turn), `audit` (rows that are not on disk yet)
   */
  readonly queueDepth: Gauge;
  /** `driver` */
  readonly processes: Gauge;
  /** `server`, `fault`: `port-in-use`, `out-of-memory`, `too-many-files`, `download-failed` or `garbage` */
  readonly serverFaults: Counter;
  /** `server` */
  readonly serverStarts: Counter;
  /** `server` */
  readonly serverCrashes: Counter;
  /** `server` */
  readonly callWaits: Histogram;
  readonly sessions: Gauge;
  /** `kind`: `websocket` or `http` */
  readonly transports: Gauge;
  /** 1 while the gateway stops. */
  readonly draining: Gauge;
  readonly auditCommits: Counter;
  readonly auditSeconds: Histogram;
  /** 1 while the audit log cannot be written. */
  readonly auditAlarm: Gauge;
  /** 1 while old data cannot be archived or removed. */
  readonly retentionAlarm: Gauge;
  /** `method`, `route`, `status` */
  readonly httpRequests: Counter;
  /** `route` */
  readonly httpSeconds: Histogram;
  /** `state`: `live`, `draining`, or `lost` while nobody has settled its calls */
  readonly nodes: Gauge;
  readonly shardsOwned: Gauge;
  readonly leaseAge: Gauge;
  readonly leaseFailures: Counter;
  /** `from`: `nobody`, `lost` (a node whose lease has ended), or `given` (by a node with more users) */
  readonly shardsTaken: Counter;
  /** `why`: `stopping`, `balance`, or `taken` (by another node) */
  readonly shardsLeft: Counter;
  readonly forwardedRequests: Counter;
  readonly forwardedSessions: Counter;
  /** `direction`: `sent` to the other node, or `received` from it */
  readonly forwardedFrames: Counter;
  /** `code` */
  readonly forwardFailures: Counter;
}

/** Values that are read when the metrics are requested. */
export type GatewayReadings = Partial<
  Record<
    "queueDepth" | "processes" | "sessions" | "transports" | "nodes" | "shardsOwned" | "leaseAge",
    () => Reading
  > & { leaseFailures: () => number }
>;

/** Registers the metrics; call it once per process. */
export function gatewayMetrics(metrics: Metrics, readings: GatewayReadings = {}): GatewayMetrics {
  const by = ["server", "method"];
  return {
    calls: metrics.counter("vitrine_calls_total", "Calls of servers, by outcome.", [...by, "outcome"]),
    callSeconds: metrics.histogram("vitrine_call_seconds", "Duration of calls.", SECONDS, by),
    callBytes: metrics.histogram("vitrine_call_bytes", "Size of params and results.", BYTES, ["direction"]),
    denials: metrics.counter("vitrine_denials_total", "Refused requests, by code.", ["code"]),
    queueDepth: metrics.gauge("vitrine_queue_depth", "Length of queues.", ["queue"], readings.queueDepth),
    processes: metrics.gauge(
      "vitrine_processes",
      "Running server processes.",
      ["driver"],
      readings.processes,
    ),
    serverFaults: metrics.counter("vitrine_server_faults_total", "Starts of servers with a known fault.", [
      "server",
      "fault",
    ]),
    serverStarts: metrics.counter("vitrine_server_starts_total", "Starts of servers.", ["server"]),
    serverCrashes: metrics.counter("vitrine_server_crashes_total", "Unexpected exits of servers.", [
      "server",
    ]),
    callWaits: metrics.histogram(
      "vitrine_call_wait_seconds",
      "Time until calls begin: they wait for their server, the user, their turn and the audit log.",
      SECONDS,
      ["server"],
    ),
    sessions: metrics.gauge("vitrine_sessions", "Browser sessions.", [], readings.sessions),
    transports: metrics.gauge(
      "vitrine_transports",
      "Connections that carry sessions.",
      ["kind"],
      readings.transports,
    ),
    draining: metrics.gauge("vitrine_draining", "1 while the gateway stops."),
    auditCommits: metrics.counter("vitrine_audit_commits_total", "Commits of the audit log."),
    auditSeconds: metrics.histogram("vitrine_audit_commit_seconds", "Duration of commits.", SECONDS),
    auditAlarm: metrics.gauge("vitrine_audit_alarm", "1 while the audit log cannot be written."),
    retentionAlarm: metrics.gauge(
      "vitrine_retention_alarm",
      "1 while old data cannot be archived or removed.",
    ),
    httpRequests: metrics.counter("vitrine_http_requests_total", "HTTP requests.", [
      "method",
      "route",
      "status",
    ]),
    httpSeconds: metrics.histogram("vitrine_http_seconds", "Duration of HTTP requests.", SECONDS, ["route"]),
    ...nodeMetrics(metrics, readings),
  };
}

/** Metrics of one of several nodes. Those of a gateway alone stay 0. */
function nodeMetrics(metrics: Metrics, readings: GatewayReadings) {
  return {
    nodes: metrics.gauge("vitrine_nodes", "Nodes, as this one sees them.", ["state"], readings.nodes),
    shardsOwned: metrics.gauge(
      "vitrine_node_shards",
      "Groups of users on this node.",
      [],
      readings.shardsOwned,
    ),
    leaseAge: metrics.gauge(
      "vitrine_node_lease_age_seconds",
      "Time since the last confirmed renewal of this node's lease.",
      [],
      readings.leaseAge,
    ),
    leaseFailures: metrics.counter(
      "vitrine_node_lease_failures_total",
      "Failed renewals of this node's lease.",
      [],
      readings.leaseFailures,
    ),
    shardsTaken: metrics.counter("vitrine_node_shards_taken_total", "Groups of users that this node took.", [
      "from",
    ]),
    shardsLeft: metrics.counter("vitrine_node_shards_left_total", "Groups of users that left this node.", [
      "why",
    ]),
    forwardedRequests: metrics.counter(
      "vitrine_forwarded_requests_total",
      "HTTP requests that another node answered.",
    ),
    forwardedSessions: metrics.counter(
      "vitrine_forwarded_sessions_total",
      "WebSockets of pages that were connected to their sessions on another node.",
    ),
    forwardedFrames: metrics.counter(
      "vitrine_forwarded_frames_total",
      "Frames of pages that this node passed to or from another node.",
      ["direction"],
    ),
    forwardFailures: metrics.counter(
      "vitrine_forward_failures_total",
      "Requests and WebSockets of pages that could not be forwarded, by code.",
      ["code"],
    ),
  };
}
