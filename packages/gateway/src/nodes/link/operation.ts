/**
 * The signature of a forwarded operation. TLS already proves that the sender is a node; the signature binds
 * each operation to its sender, receiver, user, contents and time, so that nothing that a node sent can be
 * used for anything else. The answer goes back on the connection of the operation, and nowhere else.
 *
 * @module
 */
import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { decode, integer, literal, object, string } from "@vitrine/protocol";
import { GatewayError } from "@vitrine/wire";
import { UsedNumbers } from "./replays.js";

/** The header with the signed operation. */
export const OPERATION_HEADER = "vitrine-operation";
/** Milliseconds that the clocks of two nodes may differ. */
const MAX_SKEW = 60_000;

const OPERATION = object(
  {
    version: literal(1),
    from: string,
    to: string,
    user: string,
    origin: string,
    address: string,
    at: integer,
    number: integer,
    body: string,
  },
  { browser: string },
);

/** The caller of an operation, as the sender authenticated it. */
export interface OperationCaller {
  readonly user: string;
  /** The admitted browser, if the caller has a cookie. */
  readonly browser?: string | undefined;
  /** The gateway's origin that the request was sent to. */
  readonly origin: string;
  /** The address of the client. */
  readonly address: string;
}

/** A received operation. */
export interface Operation extends OperationCaller {
  readonly from: string;
  /** The digest of the body. */
  readonly body: string;
}

/** The parts of a request that the signature covers, in addition to the operation. */
export interface OperationTarget {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** Headers of a connection. They are not part of the operation. */
const OF_CONNECTION = new Set([
  OPERATION_HEADER,
  "connection",
  "content-length",
  "keep-alive",
  "transfer-encoding",
]);

/** The digest of a body. */
export const digestOf = (body: string | Uint8Array): string => hash("sha256", body, "base64url");

function signatureOf(key: KeyObject, payload: string, { method, url, headers }: OperationTarget): Buffer {
  const lines = Object.keys(headers)
    .filter((name) => !OF_CONNECTION.has(name))
    .sort()
    .map((name) => `${name}:${headers[name]}`);
  // No part can contain a line break, so no two operations have the same text.
  return createHmac("sha256", key)
    .update([payload, method, url, ...lines].join("\n"))
    .digest();
}

/** Signs the operations of this node. */
export class OperationSigner {
  readonly #key: KeyObject;
  readonly #self: string;
  readonly #now: () => number;
  /** Shared by all receivers; a node's id is new at each start, so no number occurs twice. */
  #number = 0;

  constructor(key: Buffer, self: string, now: () => number = Date.now) {
    this.#key = createSecretKey(key);
    this.#self = self;
    this.#now = now;
  }

  /** The value of the header. */
  sign(to: string, caller: OperationCaller, target: OperationTarget, body: string | Uint8Array): string {
    const { user, browser, origin, address } = caller;
    const operation = {
      version: 1,
      from: this.#self,
      to,
      user,
      browser,
      origin,
      address,
      at: this.#now(),
      number: ++this.#number,
      body: digestOf(body),
    };
    const payload = Buffer.from(JSON.stringify(operation)).toString("base64url");
    return `${payload}.${signatureOf(this.#key, payload, target).toString("base64url")}`;
  }
}

/** Checks the operations that other nodes send to this one. */
export class OperationVerifier {
  readonly #key: KeyObject;
  readonly #self: string;
  readonly #now: () => number;
  readonly #used = new UsedNumbers();

  constructor(key: Buffer, self: string, now: () => number = Date.now) {
    this.#key = createSecretKey(key);
    this.#self = self;
    this.#now = now;
  }

  /**
   * Checks an operation; each is accepted once. The caller checks the body.
   *
   * @throws {GatewayError} `operation-invalid`, `operation-replayed`, `clock-skew`, or `not-owner` if it is for
   * another node
   */
  verify(header: string | string[] | undefined, target: OperationTarget): Operation {
    const [payload = "", signature = ""] = String(header ?? "").split(".");
    const given = Buffer.from(signature, "base64url");
    const expected = signatureOf(this.#key, payload, target);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw invalid("it is not signed by a node of this gateway, or was changed");
    }
    const decoded = decode(OPERATION, JSON.parse(Buffer.from(payload, "base64url").toString()), "it");
    if (!decoded.ok) throw invalid(`the other node may have another version: ${decoded.message}`);
    const { from, to, at, number, user, browser, origin, address, body } = decoded.value;
    if (to !== this.#self) {
      throw new GatewayError("not-owner", `the operation is for node ${to}, and this is node ${this.#self}`);
    }
    const now = this.#now();
    if (Math.abs(now - at) > MAX_SKEW) {
      const [sent, received] = [new Date(at).toISOString(), new Date(now).toISOString()];
      throw new GatewayError(
        "clock-skew",
        `node ${from} says that it is ${sent}, and on node ${to} it is ${received}: synchronize their clocks`,
      );
    }
    if (!this.#used.use(from, number)) {
      throw new GatewayError("operation-replayed", `operation ${number} of node ${from} was received before`);
    }
    return { from, user, browser, origin, address, body };
  }
}

/**
 * Compares a body with the digest in its operation.
 *
 * @throws {GatewayError} `operation-invalid`
 */
export function checkBody({ body }: Operation, bytes: string | Uint8Array): void {
  if (digestOf(bytes) !== body) throw invalid("its body was changed");
}

const invalid = (why: string): GatewayError =>
  new GatewayError("operation-invalid", `the operation was refused: ${why}`);
