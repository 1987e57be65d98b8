/**
 * Describes the messages between the gateway and a server, for a user who watches them.
 *
 * @module
 */
import { isRecord, type RequestId, recordOf } from "@vitrine/protocol";
import { membersOf, type WireMessage } from "@vitrine/servers";
import type { TrafficMessage } from "@vitrine/wire";
import { redacted } from "../guard/redact.js";
import { traceIdOf } from "../guard/trace.js";
import { isId } from "./rpc.js";
import { shortText } from "./short-text.js";

/** Options of {@link ServerTraffic}. */
export interface ServerTrafficOptions {
  /** Names of fields whose values are masked; the operator's, for the audit log. */
  fields(): readonly string[];
  /** The maker, of this user, of the call with this `traceparent`; undefined for calls of others. */
  originOf(traceparent: string): TrafficMessage["by"];
  /** Whether several users share the server. Then only the user's own calls and their answers are described. */
  readonly isShared: boolean;
  take(message: TrafficMessage): void;
}

/** Characters of a message that is parsed, and of one that is shown. */
const MOST_PARSED = 1_000_000;
const MOST_SHOWN = 200_000;
/** Characters of a method, and of an id. */
const MOST_NAME = 200;
/** Requests whose answers are awaited. */
const MOST_ASKED = 10_000;

interface Asked {
  readonly method: string;
  readonly at: number;
  /** The complete `traceparent`: a caller can choose its trace id, but not its parent id. */
  readonly trace: string | undefined;
}

/** The known parts of a message. */
interface Read {
  /** Undefined if the message has none. A long one is cut, and matches nothing. */
  readonly id: RequestId | undefined;
  readonly canMatch: boolean;
  readonly method: string | undefined;
  readonly isError: boolean;
  readonly message: unknown;
  readonly size: number;
}

/** Matches answers to requests, masks secrets, and leaves out what belongs to others. */
export class ServerTraffic {
  readonly #options: ServerTrafficOptions;
  readonly #asked = { sent: new Map<RequestId, Asked>(), received: new Map<RequestId, Asked>() };
  /** The `traceparent` of calls by progress token: servers report progress with it. */
  readonly #progress = new Map<RequestId, string | undefined>();
  #last = 0;

  constructor(options: ServerTrafficOptions) {
    this.#options = options;
  }

  take(wire: WireMessage): void {
    const read = readMessage(wire);
    const { direction } = wire;
    const { id, canMatch, method, isError, message, size } = read;
    const at = Date.now();
    const asked =
      method === undefined && id !== undefined && canMatch ? this.#answered(direction, id) : undefined;
    const trace = asked ? asked.trace : this.#traceOf(read);
    if (method !== undefined && id !== undefined && canMatch)
      this.#ask(direction, id, { method, at, trace }, message);
    const { isShared, originOf, fields, take } = this.#options;
    const by = trace === undefined ? undefined : originOf(trace);
    if (isShared && !by) return;
    take({
      seq: ++this.#last,
      at,
      direction: direction === "sent" ? "to-server" : "from-server",
      kind:
        method !== undefined ? (id === undefined ? "notification" : "request") : isError ? "error" : "result",
      method: method ?? asked?.method,
      id,
      size,
      ...(asked && { duration: at - asked.at }),
      ...(trace !== undefined && { trace: traceIdOf(trace) }),
      ...(by && { by }),
      ...(message !== undefined && { text: redacted(message, { fields: fields(), limit: MOST_SHOWN }) }),
    });
  }

  #ask(direction: WireMessage["direction"], id: RequestId, asked: Asked, message: unknown): void {
    keep(this.#asked[direction], id, asked);
    const token = metaOf(message)["progressToken"];
    if (direction === "sent" && isShortId(token)) keep(this.#progress, token, asked.trace);
  }

  /** The request that this end answers; the other end has sent it. */
  #answered(direction: WireMessage["direction"], id: RequestId): Asked | undefined {
    const requests = this.#asked[direction === "sent" ? "received" : "sent"];
    const asked = requests.get(id);
    requests.delete(id);
    return asked;
  }

  #traceOf({ message, method }: Read): string | undefined {
    const { traceparent } = metaOf(message);
    if (typeof traceparent === "string" && /^[\da-f-]{55}$/.test(traceparent)) return traceparent;
    const { progressToken, requestId } = recordOf(recordOf(message)["params"]);
    if (method === "notifications/progress" && isId(progressToken)) return this.#progress.get(progressToken);
    return method === "notifications/cancelled" && isId(requestId)
      ? this.#asked.sent.get(requestId)?.trace
      : undefined;
  }
}

const metaOf = (message: unknown): Record<string, unknown> =>
  recordOf(recordOf(recordOf(message)["params"])["_meta"]);

/** Reads a message. Of a large one, only its members are found. */
function readMessage({ text, message }: WireMessage): Read {
  if (text === undefined) return readParsed(message, JSON.stringify(message)?.length ?? 0);
  if (text.length <= MOST_PARSED) return readParsed(parsed(text), text.length);
  const members = membersOf(text);
  const at = (name: string): unknown => {
    const span = members?.get(name);
    return span && span[1] - span[0] < 1000 ? parsed(text.slice(...span)) : undefined;
  };
  const [id, method] = [at("id"), at("method")];
  return {
    ...namesOf(id, method),
    isError: members?.has("error") ?? false,
    message: undefined,
    size: text.length,
  };
}

const namesOf = (id: unknown, method: unknown): Pick<Read, "id" | "canMatch" | "method"> => ({
  id: !isId(id) ? undefined : typeof id === "string" ? shortText(id, MOST_NAME) : id,
  canMatch: isShortId(id),
  method: typeof method === "string" ? shortText(method, MOST_NAME) : undefined,
});

const isShortId = (id: unknown): id is RequestId =>
  isId(id) && (typeof id === "number" || id.length <= MOST_NAME);

function readParsed(message: unknown, size: number): Read {
  const { id, method, error } = isRecord(message) ? message : {};
  return {
    ...namesOf(id, method),
    isError: error !== undefined,
    message: message ?? null,
    size,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A server may print anything on its stdout.
    return text;
  }
}

function keep<V>(map: Map<RequestId, V>, id: RequestId, value: V): void {
  map.set(id, value);
  const [oldest] = map.keys();
  if (map.size > MOST_ASKED && oldest !== undefined) map.delete(oldest);
}
