/** Faults of the nodes and of the database of a stage. Each of them resolves when it is over. */
import { pause } from "../pause.ts";
import type { ClusterNode, ClusterStage } from "./stage.ts";

/** A fault of a node that has users. */
export type Fault = (stage: ClusterStage, node: ClusterNode) => Promise<void>;

/** Milliseconds for others to take the users of a node. */
const TAKEN = 60_000;

/** The running node that has most users. */
export async function busiest(stage: ClusterStage): Promise<ClusterNode> {
  const counts = new Map<ClusterNode, number>();
  for (const node of (await stage.owners()).values())
    if (node.isRunning) counts.set(node, (counts.get(node) ?? 0) + 1);
  const [[node] = []] = [...counts].sort(([, a], [, b]) => b - a);
  if (!node) throw new Error("no node has users");
  return node;
}

/** The users of a node. */
export const usersOf = async (stage: ClusterStage, node: ClusterNode): Promise<string[]> =>
  [...(await stage.owners())].filter(([, owner]) => owner === node).map(([user]) => user);

/** Resolves when other nodes have these users, who must call meanwhile. */
async function taken(stage: ClusterStage, users: readonly string[], from: ClusterNode): Promise<void> {
  const deadline = performance.now() + TAKEN;
  for (;;) {
    const owners = await stage.owners();
    const waiting = users.filter((user) => !owners.has(user) || owners.get(user) === from);
    if (waiting.length === 0) return;
    if (performance.now() > deadline) throw new Error(`nobody took ${waiting.join(", ")}`);
    await pause(250);
  }
}

const kill: Fault = async (stage, node) => {
  const users = await usersOf(stage, node);
  await node.end("SIGKILL");
  await taken(stage, users, node);
  await stage.start(node);
};

const freeze: Fault = async (stage, node) => {
  const users = await usersOf(stage, node);
  node.child?.kill("SIGSTOP");
  try {
    await taken(stage, users, node);
  } finally {
    node.child?.kill("SIGCONT");
  }
};

const cutOffDatabase: Fault = async (stage, node) => {
  const { toDatabase } = node;
  const users = await usersOf(stage, node);
  await toDatabase.open(false);
  await toDatabase.freeze();
  try {
    await taken(stage, users, node);
  } finally {
    await toDatabase.drop();
    await toDatabase.open(true);
  }
};

const cutOffNodes: Fault = async (_stage, { fromNodes }) => {
  await fromNodes.open(false);
  await fromNodes.reset();
  await pause(3000);
  await fromNodes.open(true);
};

const drain: Fault = async (stage, node) => {
  await node.end("SIGTERM");
  await stage.start(node);
};

const restartDatabase: Fault = async ({ postgres }) => {
  await postgres.stop("immediate");
  await pause(2000);
  await postgres.start();
};

/** The nodes get a new primary, and that gets a new standby. */
const failOver: Fault = async (stage) => {
  await stage.failOver();
};

/** A new node joins, gets users of the others, and leaves. */
const join: Fault = async (stage) => {
  const spare = stage.nodes.find(({ isRunning }) => !isRunning);
  if (!spare) throw new Error("no node can join");
  await stage.start(spare);
  const deadline = performance.now() + TAKEN;
  while ((await usersOf(stage, spare)).length === 0) {
    if (performance.now() > deadline) throw new Error("the new node got no users");
    await pause(250);
  }
  await spare.end("SIGTERM");
};

export const FAULTS = { kill, freeze, cutOffDatabase, cutOffNodes, drain, restartDatabase, failOver, join };
