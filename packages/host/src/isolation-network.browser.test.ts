/**
 * Hostile apps that try to leak data over the network, in a real browser beside an innocent app (attacks.md,
 * part A): those that stay in their document. Each test counts only because the collector sees the same code
 * in an uncontained page, and because it works from the sandbox if its target is a declared domain.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type NetworkCase, REQUESTS } from "../../../testing/attacks/network-cases.ts";
import {
  type Attempt,
  type Leak,
  NetworkStage,
  parts,
  type Scene,
} from "../../../testing/attacks/network-stage.ts";

const NOTHING: Leak = { requests: [], connections: 0, packets: 0, lookups: 0 };
/** Under the fifty violations that one document may report. */
const TOGETHER = 20;

const contained = new Map<NetworkCase, Attempt>();
const free = new Map<NetworkCase, Attempt>();
const declared = new Map<NetworkCase, Attempt>();
const bare = new Map<NetworkCase, Attempt>();
const redirected = new Map<NetworkCase, Attempt>();
const withWorkers = new Map<NetworkCase, Attempt>();
const withDeclaredWorkers = new Map<NetworkCase, Attempt>();
const relax = ["blob-workers"] as const;
const redirects = REQUESTS.filter(({ id }) => id === "A54");
/** The browser loads some when it has time, and does not report others. */
const reported = ({ id, title, gone }: NetworkCase): boolean =>
  /^A(01|05|06|08|10|11|14|17|18|20|28|46)$/.test(id) && !gone && !/icon|manifest|dictionary/.test(title);
const workers = REQUESTS.filter(({ id, gone }) => id === "A12" && !gone);

let stage: NetworkStage;
let victim: string;
let popups: string[];

beforeAll(async () => {
  stage = await NetworkStage.open();
  const page = await stage.openPage();
  const run = async (into: Map<NetworkCase, Attempt>, cases: readonly NetworkCase[], scene: Scene) => {
    const groups = parts(cases, TOGETHER);
    const attempts: Attempt[][] = [];
    // An uncontained page has the window to itself: in the background a browser skips part of the work.
    if (scene.free) for (const group of groups) attempts.push(await stage.run(page, group, scene));
    else attempts.push(...(await Promise.all(groups.map((group) => stage.run(page, group, scene)))));
    for (const [index, attempt] of attempts.flat().entries()) into.set(cases[index] as NetworkCase, attempt);
  };
  await run(contained, REQUESTS, { name: "contained", reported });
  await run(withWorkers, workers, { name: "contained-workers", relax });
  victim = await stage.victim(page);
  popups = stage.popups;
  await run(withDeclaredWorkers, workers, { name: "declared-workers", declared: true, relax });
  await run(
    declared,
    REQUESTS.filter((each) => each.declared),
    { name: "declared", declared: true },
  );
  await run(redirected, redirects, { name: "redirected", declared: true });
  await run(
    bare,
    REQUESTS.filter((each) => each.allowlist),
    { name: "bare", bare: true },
  );
  await run(free, REQUESTS, { name: "free", free: true });
  await stage.closeBrowser();
}, 400_000);
afterAll(() => stage?.close());

const of = (attempts: Map<NetworkCase, Attempt>, which: NetworkCase): Attempt => {
  const attempt = attempts.get(which);
  if (!attempt) throw new Error(`${which.id} ${which.title} did not run`);
  return attempt;
};
const leakOf = (attempts: Map<NetworkCase, Attempt>, which: NetworkCase): Leak =>
  stage.leak(of(attempts, which));
const title = ({ id, title }: NetworkCase): string => `attack ${id}: ${title}`;

describe("an app that stays in its document", () => {
  for (const each of REQUESTS.filter(({ gone }) => !gone))
    it(`${title(each)} gets nothing out`, () => {
      expect(leakOf(free, each)).not.toEqual(NOTHING);
      // It ran to its end.
      expect(of(contained, each).outcome).toEqual(expect.any(String));
      expect(leakOf(contained, each)).toEqual(NOTHING);
      if (each.declared) expect(leakOf(declared, each)).not.toEqual(NOTHING);
    });

  it("attack A01: the host gets the policy violation", () => {
    for (const each of REQUESTS.filter(reported)) {
      const { target, reports } = of(contained, each);
      expect(reports, title(each)).toContainEqual(expect.stringContaining(target.host));
    }
  });

  it("leaves the page, the innocent app and every other window as they were", () => {
    expect(victim).toBe(`${stage.stage.origin}/ Raw`);
    expect(popups).toEqual([]);
    const elsewhere = [...stage.visited].filter((url) => url.includes("contained"));
    expect(elsewhere).toEqual([]);
  });
});

describe("an operator who allows blob workers", () => {
  for (const each of workers)
    it(`${title(each)} gets nothing out either`, () => {
      expect(leakOf(withWorkers, each)).toEqual(NOTHING);
      // The worker itself ran, and a declared domain is open to it.
      const ran = /^blob worker/.test(each.title);
      if (ran) expect(of(withWorkers, each).outcome).toBe("done");
      if (ran && !/WebTransport/.test(each.title))
        expect(leakOf(withDeclaredWorkers, each)).not.toEqual(NOTHING);
    });
});

describe("facts of this browser, on which docs/security.md depends", () => {
  for (const each of REQUESTS.filter(({ allowlist }) => allowlist))
    it(`${title(each)}: leaks where Connection-Allowlist is not sent, though no request`, () => {
      const leak = leakOf(bare, each);
      expect(leak).not.toEqual(NOTHING);
      expect(leak.requests).toEqual([]);
    });

  for (const each of REQUESTS.filter(({ gone }) => gone))
    it(`${title(each)}: does nothing, even where nothing contains it`, () => {
      expect(leakOf(free, each)).toEqual(NOTHING);
      expect(leakOf(contained, each)).toEqual(NOTHING);
    });

  for (const each of redirects)
    it(`${title(each)}: goes nowhere, even to another declared domain`, () => {
      expect(leakOf(redirected, each)).toEqual(NOTHING);
    });
});
