import { expect, it } from "vitest";
import { busiest, FAULTS } from "../../../../testing/cluster/faults.ts";
import { Load } from "../../../../testing/cluster/load.ts";
import { ClusterStage } from "../../../../testing/cluster/stage.ts";
import { violations } from "../../../../testing/cluster/violations.ts";
import { pause } from "../../../../testing/pause.ts";
it("debug", async () => {
  const stage = await ClusterStage.open({ users: 6 });
  if (!stage) return;
  const load = new Load(stage.clients, { think: 200, talkers: 1 });
  const until = performance.now() + 140_000;
  try {
    for (let n = 0; performance.now() < until; n++) {
      load.start();
      await load.answered();
      const node = await busiest(stage);
      process.stderr.write(`${new Date().toISOString()} fault ${n} node ${node.id}\n`);
      await (n % 2 ? FAULTS.kill : FAULTS.cutOffDatabase)(stage, node);
      await load.answered();
      await load.stop();
      await pause(8000);
      const facts = await stage.facts();
      const found = violations(facts);
      if (found.length === 0) continue;
      process.stderr.write(`${JSON.stringify(found, undefined, 1)}\n`);
      for (const line of found) {
        const key = line.split(" ")[0];
        const call = stage.clients.history.find((each) => each.key === key);
        if (!call?.entry) continue;
        const rows = await stage.postgres.query("cluster", `select position, kind, left(json, 150) from vitrine_conversation_items where json like '%"${call.entry.item}"%'`);
        const owner = (await stage.owners()).get(call.user);
        const seen = facts.conversations.find(({ id }) => id === call.entry?.conversation);
        process.stderr.write(`${JSON.stringify(call)} owner ${owner?.id} began ${new Date(call.beganAt).toISOString()} ended ${new Date(call.endedAt ?? 0).toISOString()} db: ${rows || "none"}; page sees ${seen?.items.length}; all in db: ${await stage.postgres.query("cluster", `select count(*) from vitrine_conversation_items i join vitrine_conversations c on c.id = i.conversation where c.json like '%${call.entry.conversation}%'`)}\n`);
      }
      for (const each of stage.nodes) process.stderr.write(`NODE ${each.id} ${each.log.split("\n").filter((l) => /handed|lease|took|joined|convers|store/.test(l)).map((l) => l.replace(/"stack":.*/, "")).slice(-25).join("\n")}\n`);
      break;
    }
  } finally {
    expect(await stage.close()).toEqual([]);
  }
}, 300_000);
