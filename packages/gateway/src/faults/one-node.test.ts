/** A gateway alone with SQLite is checked like several nodes: all facts of all clients, after each kill. */
import { expect, it, vi } from "vitest";
import { Load } from "../../../../testing/cluster/load.ts";
import { OneNode } from "../../../../testing/cluster/one-node.ts";
import { violations } from "../../../../testing/cluster/violations.ts";
import { pause } from "../../../../testing/pause.ts";

const WAIT = { timeout: 60_000, interval: 100 };

it("alone with SQLite that is killed under load again and again keeps every promise to every client", async () => {
  const stage = await OneNode.open(6);
  const load = new Load(stage.clients, { think: 50, talkers: 2 });
  try {
    for (let run = 0; run < 3; run++) {
      load.start();
      await load.answered();
      // At any moment of a call.
      await pause(200 * Math.random());
      await stage.gateway.end("SIGKILL");
      await stage.start();
      await load.answered();
      await load.stop();
      await vi.waitFor(async () => expect(violations(await stage.facts())).toEqual([]), WAIT);
    }
    // The facts are those of all clients.
    const kinds = new Set(stage.clients.history.filter(({ end }) => end === "ok").map(({ by }) => by));
    expect(kinds).toEqual(new Set(["program", "page", "person", "model"]));
  } finally {
    expect(await stage.close()).toEqual([]);
  }
});
