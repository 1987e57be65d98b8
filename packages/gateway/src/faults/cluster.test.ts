/** Three nodes under load: killed, frozen, cut off from the database and from each other, drained and started again. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { busiest, FAULTS, type Fault } from "../../../../testing/cluster/faults.ts";
import { Load } from "../../../../testing/cluster/load.ts";
import { ClusterStage } from "../../../../testing/cluster/stage.ts";
import { violations } from "../../../../testing/cluster/violations.ts";

const WAIT = { timeout: 60_000, interval: 100 };

let stage: ClusterStage | undefined;
let load: Load | undefined;

beforeAll(async () => {
  stage = await ClusterStage.open({ users: 6 });
  load = stage && new Load(stage.clients, { think: 200, talkers: 3 });
});
afterAll(async () => {
  if (stage) expect(await stage.close()).toEqual([]);
});
beforeEach(({ skip }) => {
  if (!stage) skip("PostgreSQL or HAProxy is missing");
});
afterEach(({ task }) => {
  if (task.result?.state !== "fail") return;
  for (const { message, diff } of task.result.errors ?? []) process.stderr.write(`${message}\n${diff}\n`);
  for (const node of stage?.nodes ?? []) process.stderr.write(node.log.slice(-3000));
});

/** Nothing is lost, nothing runs twice, and everybody continues. */
async function survives(fault: Fault): Promise<void> {
  if (!stage || !load) throw new Error("no cluster");
  const { clients } = stage;
  load.start();
  try {
    await load.answered();
    await fault(stage, await busiest(stage));
    await load.answered();
  } finally {
    await load.stop();
  }
  await vi.waitFor(async () => expect(violations(await (stage as ClusterStage).facts())).toEqual([]), WAIT);
  expect(clients.history.length).toBeGreaterThan(0);
}

describe("a node", () => {
  it("that is killed under load loses nothing, and others serve its users", () => survives(FAULTS.kill));

  it("that is frozen for longer than its lease acts no more when it wakes", () => survives(FAULTS.freeze));

  it("that is cut off from the database while its sockets live acts no more", () =>
    survives(FAULTS.cutOffDatabase));

  it("that is cut off from the other nodes serves its users again afterwards", () =>
    survives(FAULTS.cutOffNodes));

  it("that drains hands its users over, and nothing is lost", () => survives(FAULTS.drain));
});

it("the database of all nodes is restarted, and nothing is lost", () => survives(FAULTS.restartDatabase));

it("the database of all nodes is lost, its standby replaces it, and nothing is lost", () =>
  survives(FAULTS.failOver));
