/** `npm run soak`: hundreds of clients of three nodes, and one fault after another. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { pause } from "../pause.ts";
import { busiest, FAULTS, usersOf } from "./faults.ts";
import { Load } from "./load.ts";
import { faultOrder } from "./order.ts";
import { ClusterStage } from "./stage.ts";
import { Takeovers } from "./takeovers.ts";
import { callsSince, traceOf } from "./trace.ts";
import { violations } from "./violations.ts";

const SECONDS = Number(process.env["VITRINE_SOAK"] ?? 0);
/** Each has a program and a page. */
const USERS = Number(process.env["VITRINE_SOAK_USERS"] ?? 40);
/** Another order of the faults for each number. */
const SEED = Number(process.env["VITRINE_SOAK_SEED"] ?? 1);
/** The folder that gets the logs of the nodes; by default, their ends are printed after a failure. */
const LOGS = process.env["VITRINE_SOAK_LOGS"];
/** Milliseconds until users go on, without reading about them. */
const AIM = 5000;
/** Milliseconds between faults. */
const CALM = 2000;
const WAIT = { timeout: 120_000, interval: 1000 };

const say = (line: string): boolean => process.stderr.write(`${line}\n`);

it(
  `${USERS} users with programs and pages keep what was promised, for ${SECONDS} seconds of faults`,
  async () => {
    const stage = await ClusterStage.open({ users: USERS, spare: 1, isShared: true });
    if (!stage) throw new Error("PostgreSQL or HAProxy is missing");
    const { history } = stage.clients;
    const load = new Load(stage.clients, { think: 3000, talkers: 10 });
    const takeovers = new Takeovers();
    const endAt = performance.now() + SECONDS * 1000;
    let faults = 0;
    try {
      load.start();
      for (const name of faultOrder(SEED, () => performance.now() < endAt)) {
        const fault = FAULTS[name];
        await load.answered();
        if (!stage.postgres.hasStandby) await stage.postgres.addStandby();
        const node = await busiest(stage);
        const users = await usersOf(stage, node);
        const from = Date.now();
        await fault(stage, node);
        await load.answered();
        for (const user of users) {
          const time = load.takeover(user, from);
          takeovers.add(name, time);
          if (time === undefined || time > AIM)
            say(`  slow: ${user} at ${time} ms: ${callsSince(history, user, from)}`);
        }
        const ok = history.filter(({ end }) => end === "ok").length;
        say(
          `${new Date(from).toISOString()} ${name} ${++faults}: ${history.length} calls, ${ok} answered, ${takeovers.line(name)}`,
        );
        await pause(CALM);
      }
      await load.stop();
      await vi.waitFor(async () => expect(violations(await stage.facts())).toEqual([]), WAIT);
      say(`${history.length} calls, ${faults} faults, no violation`);
      for (const name of takeovers.names) say(`${name}: ${takeovers.line(name)}`);
    } catch (error) {
      say(await traceOf(stage).catch((failed: unknown) => `no facts: ${failed}`));
      if (LOGS === undefined)
        for (const node of stage.nodes) say(`node ${node.id}: ${node.log.slice(-5000)}`);
      throw error;
    } finally {
      if (LOGS !== undefined)
        for (const { id, log } of stage.nodes) writeFileSync(join(LOGS, `node-${id}.log`), log);
      expect(await stage.close()).toEqual([]);
    }
  },
  // All faults are done once at least, and the last ones end.
  SECONDS * 1000 + 900_000,
);
