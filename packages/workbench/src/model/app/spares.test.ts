/** Which apps are kept ready, and until when. */
import type { ViewPlace } from "@vitrine/wire";
import { expect, it } from "vitest";
import { Spares } from "./spares.js";

/** Preloaded apps by address, and the running ones. */
function stage() {
  const ready: string[] = [];
  const runs: string[] = [];
  const spares = new Spares(({ src }, { run }) => {
    if (!ready.includes(src)) ready.push(src);
    if (run) runs.push(src);
    return () => ready.splice(0, ready.length, ...ready.filter((each) => each !== src));
  });
  const shown = (tool: string, src = tool): void => spares.shown("shop", tool, { src } as ViewPlace);
  return { ready, runs, spares, shown };
}

it("apps that were shown are preloaded when a call is about to start, and not before", () => {
  const { ready, spares, shown } = stage();
  spares.expect();
  shown("map");
  expect(ready).toEqual([]);
  spares.expect();
  spares.expect();
  expect(ready).toEqual(["map"]);
});

it("three are kept, those that were shown last", () => {
  const { ready, spares, shown } = stage();
  for (const tool of ["a", "b", "c"]) shown(tool);
  spares.expect();
  expect(ready).toEqual(["a", "b", "c"]);
  shown("a");
  shown("d");
  expect(ready).toEqual(["a", "c"]);
  spares.expect();
  expect(ready).toEqual(["a", "c", "d"]);
});

it("only the one that was shown last is started", () => {
  const { runs, spares, shown } = stage();
  for (const tool of ["a", "b"]) shown(tool);
  spares.expect();
  expect(runs).toEqual(["b"]);
  shown("a");
  spares.expect();
  expect(runs).toEqual(["b", "a"]);
});

it("a document that has changed is not kept as it was", () => {
  const { ready, spares, shown } = stage();
  shown("map", "first");
  spares.expect();
  shown("map", "second");
  expect(ready).toEqual([]);
  spares.expect();
  expect(ready).toEqual(["second"]);
});

it("nothing is kept for a conversation that is left", () => {
  const { ready, spares, shown } = stage();
  shown("map");
  spares.expect();
  spares.clear();
  spares.expect();
  expect(ready).toEqual([]);
});
