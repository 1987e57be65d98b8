/**
 * The one table of every method that crosses between a view and its host, put together from what each end checks.
 * Types of params and results, the decoders, and who may send what all come from here.
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
/** What one end hears the other sends; what both hear, both send. */
type Sender<M, HostHears, ViewHears> = M extends keyof HostHears & keyof ViewHears
  ? "both"
  : M extends keyof HostHears
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
// Interfaces, because TypeScript looks into a mapped type with every use, and into these once.
interface RequestTable extends RequestRows {}
interface NotificationTable extends NotificationRows {}

/** Every request, with who sends it and the shapes of its params and result. */
export const REQUESTS: RequestTable = table(HOST_END.requests, VIEW_END.requests, results);

/** Every notification, with who sends it and the shape of its params. */
export const NOTIFICATIONS: NotificationTable = table(HOST_END.notifications, VIEW_END.notifications);

function table<T>(hostHears: Shapes, viewHears: Shapes, results?: Shapes): T {
  const rows = Object.entries({ ...hostHears, ...viewHears }).map(([method, params]) => {
    const from = !(method in hostHears) ? "host" : method in viewHears ? "both" : "view";
    return [method, results ? { from, params, result: results[method] } : { from, params }];
  });
  return Object.fromEntries(rows) as T;
}

type Sent<Table extends { [M in keyof Table]: { from: Side | "both" } }, S extends Side> = {
  [M in keyof Table]: Table[M]["from"] extends S | "both" ? M : never;
}[keyof Table];

/** The name of any request. */
export type RequestMethod = keyof typeof requests;
/** The name of any notification. */
export type NotificationMethod = keyof typeof notifications;
/** The requests that one side may send. */
export type RequestFrom<S extends Side> = Sent<typeof REQUESTS, S>;
/** The notifications that one side may send. */
export type NotificationFrom<S extends Side> = Sent<typeof NOTIFICATIONS, S>;
/** The side at the other end. */
export type OtherSide<S extends Side> = S extends "view" ? "host" : "view";

/** Params of a request or notification, by its method. */
export type Params<M extends RequestMethod | NotificationMethod> = M extends RequestMethod
  ? Infer<(typeof REQUESTS)[M]["params"]>
  : M extends NotificationMethod
    ? Infer<(typeof NOTIFICATIONS)[M]["params"]>
    : never;

/** Result of a request, by its method. */
export type Result<M extends RequestMethod> = Infer<(typeof REQUESTS)[M]["result"]>;
