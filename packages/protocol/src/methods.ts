/**
 * The table of all methods between a view and its host, combined from the shapes that each side checks. Types
 * of params and results, decoders, and allowed senders all come from here.
 *
 * @module
 */
import type { Shapes, Side } from "./end.js";
import { HOST_END } from "./host-end.js";
import type { Infer } from "./schema.js";
import { VIEW_END } from "./view-end.js";

const requests = { ...HOST_END.requests, ...VIEW_END.requests };
const results = { ...HOST_END.results, ...VIEW_END.results };
const notifications = { ...HOST_END.notifications, ...VIEW_END.notifications };

type Host = typeof HOST_END;
type View = typeof VIEW_END;
/** Each side sends the methods that the other receives. Methods that both receive, both send. */
type Sender<M, HostReceives, ViewReceives> = M extends keyof HostReceives & keyof ViewReceives
  ? "both"
  : M extends keyof HostReceives
    ? "view"
    : "host";

type RequestRows = {
  readonly [M in keyof typeof requests]: {
    readonly from: Sender<M, Host["requests"], View["requests"]>;
    readonly params: (typeof requests)[M];
    readonly result: (typeof results)[M];
  };
};
type NotificationRows = {
  readonly [M in keyof typeof notifications]: {
    readonly from: Sender<M, Host["notifications"], View["notifications"]>;
    readonly params: (typeof notifications)[M];
  };
};
// Interfaces, because TypeScript expands a mapped type at every use, but an interface only once.
interface RequestTable extends RequestRows {}
interface NotificationTable extends NotificationRows {}

/** All requests, with their sender and the shapes of params and result. */
export const REQUESTS: RequestTable = table(HOST_END.requests, VIEW_END.requests, results);

/** All notifications, with their sender and the shape of params. */
export const NOTIFICATIONS: NotificationTable = table(HOST_END.notifications, VIEW_END.notifications);

function table<T>(hostReceives: Shapes, viewReceives: Shapes, results?: Shapes): T {
  const rows = Object.entries({ ...hostReceives, ...viewReceives }).map(([method, params]) => {
    const from = !(method in hostReceives) ? "host" : method in viewReceives ? "both" : "view";
    return [method, results ? { from, params, result: results[method] } : { from, params }];
  });
  return Object.fromEntries(rows) as T;
}

type Sent<Table extends { [M in keyof Table]: { from: Side | "both" } }, S extends Side> = {
  [M in keyof Table]: Table[M]["from"] extends S | "both" ? M : never;
}[keyof Table];

/** Name of a request. */
export type RequestMethod = keyof typeof requests;
/** Name of a notification. */
export type NotificationMethod = keyof typeof notifications;
/** The requests that one side may send. */
export type RequestFrom<S extends Side> = Sent<typeof REQUESTS, S>;
/** The notifications that one side may send. */
export type NotificationFrom<S extends Side> = Sent<typeof NOTIFICATIONS, S>;
/** The opposite side. */
export type OtherSide<S extends Side> = S extends "view" ? "host" : "view";

/** Params of a request or notification, by its method. */
export type Params<M extends RequestMethod | NotificationMethod> = M extends RequestMethod
  ? Infer<(typeof REQUESTS)[M]["params"]>
  : M extends NotificationMethod
    ? Infer<(typeof NOTIFICATIONS)[M]["params"]>
    : never;

/** Result of a request, by its method. */
export type Result<M extends RequestMethod> = Infer<(typeof REQUESTS)[M]["result"]>;
