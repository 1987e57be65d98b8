import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { openStore } from "./open.js";
import type { AuditEntry, GatewayStore, StoredAuditRow } from "./store.js";

const folder = mkdtempSync(join(tmpdir(), "vitrine-property-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const entry: AuditEntry = {
  user: "ann",
  actor: "view",
  server: "shop",
  method: "tools/call",
  decision: "allowed",
  reason: "policy",
};

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("begin" as const), allowed: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("end" as const), which: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("turn" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("flush" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("crash" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
);

let files = 0;

/** A crash: only the current contents of the files remain. */
async function crash(file: string, store: GatewayStore): Promise<{ file: string; store: GatewayStore }> {
  const after = join(folder, `${++files}.db`);
  for (const end of ["", "-wal"]) if (existsSync(file + end)) copyFileSync(file + end, after + end);
  await store.close();
  return { file: after, store: await openStore(`sqlite:${after}`) };
}

it("starts, ends and crashes in any order lose nothing, and duplicate nothing", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      let file = join(folder, `${++files}.db`);
      let store = await openStore(`sqlite:${file}`);
      const acknowledged: number[] = [];
      const flushed = new Set<number>();
      let ended: number[] = [];
      // Each call starts in one process; an acknowledgement after its crash reaches nobody.
      let life = {};
      for (const each of steps) {
        if (each.do === "begin") {
          const born = life;
          store.audit
            .begin({ ...entry, decision: each.allowed ? "allowed" : "refused" })
            .then((seq) => born === life && acknowledged.push(seq))
            .catch((error: unknown) => expect(error).toMatchObject({ data: { code: "stopping" } }));
        } else if (each.do === "end") {
          const seq = acknowledged[each.which % Math.max(acknowledged.length, 1)];
          if (seq === undefined) continue;
          store.audit.end(seq, { outcome: "ok", duration: each.which });
          ended.push(seq);
        } else if (each.do === "turn") await new Promise(setImmediate);
        else if (each.do === "flush") {
          const waiting = ended;
          ended = [];
          await store.audit.flush();
          for (const seq of waiting) flushed.add(seq);
        } else {
          life = {};
          ended = [];
          if (each.do === "crash") ({ file, store } = await crash(file, store));
          else {
            await store.close();
            store = await openStore(`sqlite:${file}`);
          }
        }
      }
      life = {};
      ({ store } = await crash(file, store));
      const rows: StoredAuditRow[] = [];
      for await (const row of store.audit.rows()) rows.push(row);
      expect(await store.audit.verify()).toMatchObject({ ok: true, rows: rows.length });
      await store.close();

      expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, n) => n + 1));
      const entries = rows.filter(({ kind }) => kind === "entry");
      const outcomes = rows.filter(({ kind }) => kind === "outcome").map(({ of }) => of);
      expect(acknowledged.filter((seq) => !entries.some((row) => row.seq === seq))).toEqual([]);
      // Each allowed entry has one outcome, and no other has any.
      const allowed = entries.filter(({ decision }) => decision === "allowed").map(({ seq }) => seq);
      expect(outcomes.toSorted((a = 0, b = 0) => a - b)).toEqual(allowed);
      expect([...flushed].filter((seq) => allowed.includes(seq) && !outcomes.includes(seq))).toEqual([]);
    }),
    { numRuns: 30 },
  );
});
