import { it } from "vitest";
import { writeFileSync } from "node:fs";
import { NetworkStage } from "../../../testing/attacks/network-stage.ts";
import { DEPARTURES, REQUESTS } from "../../../testing/attacks/network-cases.ts";
it("scratch", async () => {
  const t0 = Date.now();
  const s = await NetworkStage.open();
  const out: string[] = [];
  const F = `/tmp/scratch-${process.env["WHICH"]}.txt`;
  const say = (x: string) => { out.push(x); writeFileSync(F, out.join("\n")); };
  const chunk = <T,>(l: readonly T[], n: number): T[][] => Array.from({ length: Math.ceil(l.length / n) }, (_, i) => l.slice(i * n, i * n + n));
  const which = process.env["WHICH"] === "d" ? DEPARTURES.map((x) => [x]) : chunk(REQUESTS, 20);
  const scenes: Record<string, any[]> = { contained: [], bare: [], declared: [], relaxed: [], free: [] };
  for (const group of which) {
    for (const scene of [{ name: "contained" }, { name: "bare", bare: true }, { name: "declared", declared: true }, { name: "relaxed", relax: ["blob-workers" as const] }, { name: "free", free: true }]) {
      const fatal = scene.name !== "free";
      if (process.env["WHICH"] === "d" && ["declared", "relaxed"].includes(scene.name)) continue;
      const t1 = Date.now();
      try { const p = fatal ? await s.openPage() : undefined; scenes[scene.name]!.push(...await s.run(p as any, group, scene)); } catch (e) { say(`${scene.name} ${group[0]!.title}: ${e}`); scenes[scene.name]!.push(...group.map(() => undefined)); }
      if (Date.now() - t1 > 6000) say(`slow ${scene.name} ${group[0]!.title} ${Date.now() - t1}`);
    }
    say(`group ${group[0]!.id} ${Date.now() - t0}`);
  }
  say(`control ${Date.now() - t0}`);
  await new Promise((r) => setTimeout(r, 3000));
  await s.closeBrowser();
  which.flat().forEach((c, i) => {
    const f = (n: string) => { const a = scenes[n]![i]; if (!a) return "-"; const l = s.leak(a); return `${l.requests.length}/${l.connections}/${l.packets}/${l.lookups}`; };
    const a = scenes.contained![i];
    say(`${c.id} ${c.title.padEnd(48)} free ${f("free").padEnd(9)} | cont ${f("contained").padEnd(9)} | bare ${f("bare").padEnd(9)} | decl ${f("declared").padEnd(9)} | rel ${f("relaxed").padEnd(9)} | ${a?.outcome?.slice(0, 50)} | ${a?.failure ?? ""} ${a?.reports.map((r: string) => r.slice(0, 40))} | ctl: ${scenes.free![i]?.outcome?.slice(0, 60)}`);
  });
  say(`popups ${s.popups}`); say(`visited ${[...new Set(s.visited)].filter((u) => !/localhost:\d+\/[a-z2-7]{52}/.test(u))}`);
  say([...new Set(s.sandboxed)].filter((x) => !/^200/.test(x)).join("\n"));
  await s.close();
}, 580_000);
