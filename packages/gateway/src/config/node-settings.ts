/**
 * Parses the settings of a node: a gateway that shares its users with others.
 *
 * @module
 */
import { object, type Spot, timeOrNone, type ValueReader } from "./reader.js";
import { referringText, type Sources } from "./references.js";

/** How nodes reach each other; see docs/gateway/nodes.md. */
export interface NodeSettings {
  /** The local address of the listener for other nodes. */
  host: string;
  /** 0 for any free port. */
  port: number;
  /** `host:port` as other nodes reach this one; the local address by default. */
  address?: string | undefined;
  /** Shared by all nodes, at least 32 bytes. By default, the first node makes one, and stores it in the database. */
  secret?: string | undefined;
  /** Milliseconds without a change among the nodes before users move to a node that has fewer; 0 for never. */
  balance?: number | undefined;
}

/** Minimum bytes of the secret: below, it could be guessed from a recorded connection. */
export const MIN_SECRET_BYTES = 32;
const HOST_AND_PORT = /^(\[[0-9A-Fa-f:.]+\]|[^\s/:@[\]]+):(\d{1,5})$/;
/** Addresses that mean every interface, and no machine. */
const EVERY = ["0.0.0.0", "::"];

/** A host and a port. */
export interface Place {
  host: string;
  port: number;
}

/** Reads `host:port`; undefined if it is written otherwise. */
export function placeOf(written: string): Place | undefined {
  const [, host = "", port = ""] = HOST_AND_PORT.exec(written) ?? [];
  return host !== "" && Number(port) <= 65_535
    ? { host: host.replace(/^\[|\]$/g, ""), port: Number(port) }
    : undefined;
}

const placeReader =
  (sources: Sources): ValueReader<Place> =>
  (value, spot) => {
    const written = referringText(sources)(value, spot);
    if (written === undefined) return undefined;
    return (
      placeOf(written) ??
      spot.wrong("must be a host and a port", 'write it like "10.0.0.5:8092" or "[fd00::5]:8092"')
    );
  };

/** `{listen, address, secret, balance}` */
export const nodesReader =
  (sources: Sources): ValueReader<NodeSettings> =>
  (value, spot) => {
    const secretOf: ValueReader<string> = (written, at) => {
      const secret = referringText(sources)(written, at);
      if (secret === undefined || Buffer.byteLength(secret) >= MIN_SECRET_BYTES) return secret;
      return at.wrong(
        "is too short",
        `use at least ${MIN_SECRET_BYTES} bytes, the same on each node: make them with openssl rand -base64 32`,
      );
    };
    const place = placeReader(sources);
    const read = object({ listen: place, address: place, secret: secretOf, balance: timeOrNone })(
      value,
      spot,
    );
    if (!read) return undefined;
    const isWritten = typeof value === "object" && value !== null;
    if (!(isWritten && "listen" in value)) spot.wrong("has no listen", 'add "listen": "10.0.0.5:8092"');
    const { listen, address, secret, balance } = read;
    if (!listen) return undefined;
    if (EVERY.includes(listen.host) && !address)
      return spot.wrong(
        "other nodes cannot find this one",
        'add "address": "10.0.0.5:8092", as they reach it',
      );
    if (address && (EVERY.includes(address.host) || address.port === 0))
      return spot.at("address").wrong("cannot be reached", "write a host and a port that other nodes reach");
    return { ...listen, address: address && joined(address), secret, balance };
  };

const joined = ({ host, port }: Place): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;

/** The requirements of several nodes on the other settings. */
export function checkNodes(
  nodes: NodeSettings | undefined,
  { users, database }: { users: readonly unknown[]; database: string },
  spot: Spot,
): void {
  if (!nodes) return;
  const at = spot.at("nodes");
  if (users.length === 0)
    at.wrong(
      "several nodes need users",
      'add "users", each with a token: without users, each node generates a token of its own',
    );
  if (!database.startsWith("postgres"))
    at.wrong("several nodes share one PostgreSQL database", 'set "database" to "postgres://…"');
}
