import { expect, it } from "vitest";
import { Commissions } from "./commissions.js";

it("gives an action to the waiting caller, and reports how it ended", async () => {
  const commissions = new Commissions();
  const first = commissions.next();
  const done = commissions.give({ click: "Refresh" });
  expect(await first).toEqual({ click: "Refresh" });
  commissions.ended("there is no such button");
  expect(await done).toBe("there is no such button");

  // Added before it is requested.
  const again = commissions.give({ wait: 5 });
  expect(await commissions.next()).toEqual({ wait: 5 });
  commissions.ended();
  expect(await again).toBeUndefined();
});

it("reports that there is nothing more, also to a caller that waits already", async () => {
  const commissions = new Commissions();
  const waiting = commissions.next();
  commissions.end();
  expect(await waiting).toBeUndefined();
  void commissions.give({ wait: 5 });
  expect(await commissions.next()).toBeUndefined();
});
