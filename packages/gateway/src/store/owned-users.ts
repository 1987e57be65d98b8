/**
 * A node's users, for the rest of the gateway.
 *
 * @module
 */

/** The previous owner of a shard: nobody, a node whose lease has ended, or a node that gave it to its new owner. */
export type TakenFrom = "nobody" | "lost" | "given";

/** This node, for the others. */
export interface NodeIdentity {
  /** Random for each run of the process. */
  readonly node: string;
  /** `host:port` at which other nodes reach it. */
  readonly address: string;
  readonly version: string;
  /** Identifies what all nodes must share, such as secrets. */
  readonly fingerprint: string;
}

/** A node as others reach it. */
export interface NodeRef {
  /** Random for each run of a node. */
  readonly id: string;
  /** `host:port` of its listener for other nodes. */
  readonly address: string;
}

/** Users that this node should hand over, so that the nodes have about as many. */
export interface Uneven {
  readonly to: NodeRef;
  /** Groups of users, at most. */
  readonly count: number;
}

/** Where a user's state is. */
export type Location = { readonly kind: "here" } | { readonly kind: "there"; readonly node: NodeRef };

/** Says which users this node has, and which other nodes have the others. */
export interface OwnedUsers {
  readonly self: NodeRef;
  /** Nodes that accept users, this one included. */
  readonly nodes: readonly NodeRef[];
  /** Whether this node has the user, and may act for the user now. */
  holds(user: string): boolean;
  /**
   * Finds the node that has the user. If no live node has, this one takes the user.
   *
   * @throws {GatewayError} `stopping` if this node cannot take users, or lost its lease
   */
  locate(user: string): Promise<Location>;
  /** The other node refused or was not reached: the next {@link locate} looks again. */
  forget(user: string, node: NodeRef): void;
  /** Tells other nodes that this one takes no more users, and returns its shards. */
  drain(): Promise<readonly number[]>;
  /** Gives users to the other nodes. Nothing of theirs may be running here. */
  release(shards: readonly number[]): Promise<void>;
  /** Adds a listener for shards that this node does not have any more: their sessions must end. */
  onMoved(listener: (shards: ReadonlySet<number>) => void): () => void;
  /** Number of nodes by state: live, draining, or lost until another node has settled its calls. */
  readonly states: Readonly<Record<"live" | "draining" | "lost", number>>;
  /** The shards whose users this node serves. */
  readonly owned: readonly number[];
  /** Whether this node has its lease, and may act. */
  readonly isLeased: boolean;
  /** Number of renewals of the lease that failed. */
  readonly leaseFailures: number;
  /** Milliseconds since the last renewal of the lease that the database confirmed. */
  readonly leaseAge: number;
  /**
   * Gives users to a node. Nothing of theirs may be running here. Resolves with false if that node cannot take them: they
   * stay here.
   */
  give(shards: readonly number[], to: NodeRef): Promise<boolean>;
  /** Adds a listener for shards that this node took, called before their users are served. */
  onTaken(listener: (shard: number, from: TakenFrom) => void): () => void;
  /** Adds a listener that is called while this node has more users than another: it should {@link give} some away. */
  onUneven(listener: (uneven: Uneven) => void): () => void;
  /** Adds a listener for the loss of the lease: this process must not act, and joins again. */
  onLost(listener: () => void): () => void;
  /**
   * Adds a listener for a lease that was not renewed in time. Other nodes may take the users now, but this node has its users
   * again if it reaches the database first.
   */
  onLapsed(listener: () => void): () => void;
  /** Adds a listener for errors of the database. */
  onFailed(listener: (error: unknown) => void): () => void;
  /** Stops renewing the lease. */
  stop(): void;
}
