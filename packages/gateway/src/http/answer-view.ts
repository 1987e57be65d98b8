/**
 * The host endpoint: handles messages of views that a program displays. All refusals are recorded, also those
 * before the guard.
 *
 * @module
 */
import { type HostEndpointOptions, hostEndpoint, type Link, Refusal } from "@vitrine/guard";
import { INVALID_PARAMS, METHOD_NOT_FOUND, recordOf, VitrineError } from "@vitrine/protocol";
import type { GuardedCall } from "../guard/guarded-call.js";
import type { GuardedServer } from "../guard/guarded-servers.js";
import { HttpError } from "./http-error.js";

/** Handlers and metadata of a host; see `hostEndpoint`. */
export type HostOptions = Pick<
  HostEndpointOptions,
  "handlers" | "initialize" | "initialized" | "teardownResponse" | "view"
>;

/** Options of {@link answerView}. */
export interface AnswerViewOptions extends Pick<HostEndpointOptions, "info"> {
  readonly user: string;
  readonly at: GuardedServer;
  readonly host?: HostOptions | undefined;
  /** Called with errors of the host's callbacks. */
  onerror(error: unknown): void;
}

/** The header that names the view if a program displays several: each has its own limits. */
const VIEW_HEADER = "vitrine-view";

/** Answers a message of a view. */
export async function answerView(request: Request, rules: AnswerViewOptions): Promise<Response> {
  const { user, info, host = {}, onerror } = rules;
  const { server, guard } = rules.at;
  const view = viewOf(request, host);
  const body = await request.arrayBuffer();
  const refuse = (error: VitrineError): Promise<void> => {
    const about = { actor: "http" as const, user, view, server: server.settings.name };
    return guard.refused({ ...about, ...asked(body) }, error);
  };
  try {
    // The server's capabilities are known only while it runs.
    await server.ready();
  } catch (error) {
    if (error instanceof VitrineError) await refuse(error);
    throw error;
  }
  // The listener has checked it.
  const trace = request.headers.get("traceparent") ?? undefined;
  let isGuarded = false;
  let dropped: VitrineError | undefined;
  const link: Link = (call, next) => {
    isGuarded = true;
    return guard.pass({ ...call, actor: "http", user, trace }, ({ params }) => next({ ...call, params }));
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

/** The request, as far as it can be parsed. */
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

/** The endpoint's refusal as an error. */
async function refusalIn(answer: Response): Promise<VitrineError> {
  const { error } = (await answer.json()) as { error: { code: number; message: string } };
  if (error.code === METHOD_NOT_FOUND) return new Refusal("method-unknown", error.message);
  if (answer.status === 413) return new Refusal("too-large", error.message);
  return new VitrineError(error.code === INVALID_PARAMS ? INVALID_PARAMS : "invalid", error.message);
}
