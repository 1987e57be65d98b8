/** Three nodes under load: killed, frozen, cut off from the database and from each other, drained and started again. */
import type { GatewayClient } from "@vitrine/host/gateway";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type ClusterNode, ClusterStage, pause } from "../../../../testing/gateway/cluster-stage.ts";

/** `npm run soak` repeats the faults for this number of seconds. */
const SOAK = Number(process.env["VITRINE_SOAK"] ?? 0);
const WAIT = { timeout: 60_000, interval: 100 };

let stage: ClusterStage | undefined;
let pages: { user: string; page: GatewayClient }[] = [];

beforeAll(async () => {
  stage = await ClusterStage.open();
});
afterAll(async () => {
  if (stage) expect(await stage.close()).toEqual([]);
});
beforeEach(({ skip }) => {
  if (!stage) skip("PostgreSQL or HAProxy is missing");
});
afterEach(({ task }) => {
  if (task.result?.state === "fail")
    for (const node of stage?.nodes ?? []) process.stderr.write(node.log.slice(-3000));
});

const cluster = (): ClusterStage => {
  if (!stage) throw new Error("no cluster");
  return stage;
};

/** All users call without a pause, by programs and by pages, until they are stopped. */
function load() {
  const { users } = cluster();
  if (pages.length === 0) pages = users.map((user) => ({ user, page: cluster().page(user) }));
  let isOver = false;
  const loops = [
    ...users.map(async (user) => {
      while (!isOver) await cluster().callByProgram(user);
    }),
    ...pages.map(async ({ user, page }) => {
      while (!isOver) {
        const { end } = await cluster().callByPage(page, user);
        // A page that is refused tries again after a moment, like a user.
        if (end !== "ok") await pause(100);
      }
    }),
  ];
  const ended = (): number => cluster().history.filter(({ end }) => end === "ok").length;
  return {
    /** Resolves when every user has had answers since now. */
    answered: async (): Promise<void> => {
      const from = cluster().history.length;
      await vi.waitFor(() => {
        const since = cluster().history.slice(from);
        for (const user of users)
          for (const by of ["program", "page"] as const)
            expect(
              since.some((entry) => entry.user === user && entry.by === by && entry.end === "ok"),
              `${user} by ${by}`,
            ).toBe(true);
      }, WAIT);
    },
    ended,
    stop: async (): Promise<void> => {
      isOver = true;
      // Calls that are never answered are violations.
      await Promise.race([Promise.all(loops), pause(30_000)]);
    },
  };
}

/** The node that has the most users. */
function busiest(): ClusterNode {
  const counts = new Map<ClusterNode, number>();
  for (const user of cluster().users) {
    const owner = cluster().ownerOf(user);
    if (owner?.isRunning) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  const [[node] = []] = [...counts].sort(([, a], [, b]) => b - a);
  if (!node) throw new Error("no node has users");
  return node;
}

const kill = async (node: ClusterNode): Promise<void> => {
  await cluster().end(node, "SIGKILL");
  await pause(5000);
  await cluster().start(node);
};
const freeze = async (node: ClusterNode): Promise<void> => {
  node.child?.kill("SIGSTOP");
  await pause(6000);
  node.child?.kill("SIGCONT");
};
const cutOffDatabase = async ({ toDatabase }: ClusterNode): Promise<void> => {
  toDatabase.isOpen = false;
  toDatabase.freeze();
  await pause(6000);
  toDatabase.drop();
  toDatabase.isOpen = true;
};
const cutOffNodes = async ({ fromNodes }: ClusterNode): Promise<void> => {
  fromNodes.isOpen = false;
  fromNodes.reset();
  await pause(3000);
  fromNodes.isOpen = true;
};
const drain = async (node: ClusterNode): Promise<void> => {
  await cluster().end(node, "SIGTERM");
  await cluster().start(node);
};
const FAULTS = { kill, freeze, cutOffDatabase, cutOffNodes, drain };

/** Nothing is lost, nothing runs twice, and everybody continues. */
async function survives(fault: (node: ClusterNode) => Promise<void>): Promise<void> {
  const work = load();
  try {
    await work.answered();
    await fault(busiest());
    await work.answered();
  } finally {
    await work.stop();
  }
  await vi.waitFor(async () => expect(await cluster().violations()).toEqual([]), WAIT);
}

describe("a node", () => {
  it("that is killed under load loses nothing, and others serve its users", () => survives(kill));

  it("that is frozen for longer than its lease acts no more when it wakes", () => survives(freeze));

  it("that is cut off from the database while its sockets live acts no more", () => survives(cutOffDatabase));

  it("that is cut off from the other nodes serves its users again afterwards", () => survives(cutOffNodes));

  it("that drains hands its users over, and nothing is lost", () => survives(drain));

  it("that is killed is followed by another in seconds", async () => {
    const [user = ""] = cluster().users;
    await cluster().callByProgram(user);
    const owner = cluster().ownerOf(user);
    if (!owner) throw new Error("no owner");
    const killedAt = performance.now();
    await cluster().end(owner, "SIGKILL");
    const { end } = await cluster().callByProgram(user);
    const seconds = (performance.now() - killedAt) / 1000;
    expect(end).toBe("ok");
    expect(cluster().ownerOf(user)).not.toBe(owner);
    process.stderr.write(`takeover: ${seconds.toFixed(2)} s\n`);
    await cluster().start(owner);
  });
});

it("the database of all nodes is restarted, and nothing is lost", () =>
  survives(async () => {
    await cluster().postgres.stop("immediate");
    await pause(2000);
    await cluster().postgres.start();
  }));

it.runIf(SOAK > 0)(
  `faults one after another, for as long as the soak lasts`,
  async () => {
    const endAt = performance.now() + SOAK * 1000;
    const work = load();
    const faults = Object.entries(FAULTS);
    for (let n = 0; performance.now() < endAt; n++) {
      const [name, fault] = faults[n % faults.length] ?? ["", kill];
      await work.answered();
      await fault(busiest());
      process.stderr.write(`${name}: ${cluster().history.length} calls, ${work.ended()} answered\n`);
    }
    await work.answered();
    await work.stop();
    await vi.waitFor(async () => expect(await cluster().violations()).toEqual([]), WAIT);
  },
  SOAK * 1000 + 300_000,
);
