/**
 * The host endpoint: views that a program shows ask here, one message at a time. Whatever is refused is on record, also
 * what never came as far as the guard.
 *
 * @module
 */
import { type HostEndpointOptions, hostEndpoint, type Link, Refusal } from "@vitrine/guard";
import { INVALID_PARAMS, METHOD_NOT_FOUND, recordOf, VitrineError } from "@vitrine/protocol";
import type { GuardedCall } from "../guard/guarded-call.js";
import type { GuardedServer } from "../guard/guarded-servers.js";
import { HttpError } from "./http-error.js";

/** What a host may say and do; see `hostEndpoint`. */
export type HostOptions = Pick<
  HostEndpointOptions,
  "handlers" | "initialize" | "initialized" | "teardownResponse" | "view"
>;

/** What it takes to answer a view. */
export interface HostDoor extends Pick<HostEndpointOptions, "info"> {
  readonly user: string;
  readonly at: GuardedServer;
  readonly host?: HostOptions | undefined;
  /** Hears what a callback of the host's threw. */
  onerror(error: unknown): void;
}

/** Names the view that asks, where a program shows several: each has limits of its own. */
const VIEW_HEADER = "vitrine-view";

/** Answers one message of a view. */
export async function answerView(request: Request, door: HostDoor): Promise<Response> {
  const { user, info, host = {}, onerror } = door;
  const { server, guard } = door.at;
  const view = viewOf(request, host);
  const body = await request.arrayBuffer();
  const refuse = (error: VitrineError): Promise<void> => {
    const about = { actor: "http" as const, user, view, server: server.settings.name };
    return guard.refused({ ...about, ...asked(body) }, error);
  };
  try {
    // What works is known when the server runs.
    await server.ready();
  } catch (error) {
    if (error instanceof VitrineError) await refuse(error);
    throw error;
  }
  let isGuarded = false;
  let dropped: VitrineError | undefined;
  const link: Link = (call, next) => {
    isGuarded = true;
    return guard.pass({ ...call, actor: "http", user }, ({ params }) => next({ ...call, params }));
  };
  const handle = hostEndpoint({
    ...host,
    info,
    view,
    upstream: server.upstream,
    guard: link,
    onreport: (error) => {
      if (error.code === "listener-failed") onerror(error.cause ?? error);
      else dropped = error;
    },
  });
  const { url, method, headers, signal } = request;
  const answer = await handle(new Request(url, { method, headers, signal, body }));
  if (isGuarded) return answer;
  if (dropped) await refuse(dropped);
  else if (answer.status >= 400 && answer.status < 500) await refuse(await refusalIn(answer.clone()));
  return answer;
}

function viewOf(request: Request, { view }: HostOptions): string {
  const named = typeof view === "function" ? view(undefined) : view;
  if (named !== undefined) return named;
  const asked = request.headers.get(VIEW_HEADER) ?? "host";
  if (/^[\w-]{1,100}$/.test(asked)) return asked;
  throw new HttpError("bad-request", `${VIEW_HEADER} must be 1 to 100 letters, digits, "_" or "-"`);
}

/** What was asked, as far as it can be read. */
function asked(body: ArrayBuffer): Pick<GuardedCall, "method" | "params"> {
  try {
    const { method, params } = recordOf(JSON.parse(Buffer.from(body).toString()));
    return {
      method: typeof method === "string" ? method : "",
      params: recordOf(params),
    };
  } catch {
    return { method: "", params: {} };
  }
}

/** Why the endpoint refused, in the guard's words. */
async function refusalIn(answer: Response): Promise<VitrineError> {
  const { error } = (await answer.json()) as { error: { code: number; message: string } };
  if (error.code === METHOD_NOT_FOUND) return new Refusal("method-unknown", error.message);
  if (answer.status === 413) return new Refusal("too-large", error.message);
  return new VitrineError(error.code === INVALID_PARAMS ? INVALID_PARAMS : "invalid", error.message);
}
