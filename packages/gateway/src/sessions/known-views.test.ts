import { expect, it } from "vitest";
import { KnownViews } from "./known-views.js";
import type { PageSession } from "./page-session.js";

it("attack E01: a view is known only for its own user and server, whatever name another server has", () => {
  const views = new KnownViews();
  const page = {} as PageSession;
  const owner = { user: "ann", server: "mail", identity: "a", session: "s", page };
  views.add("v", owner);
  expect(views.find("v", "ann", { name: "mail", identity: "a" })).toBe(owner);
  expect(views.find("v", "ann", { name: "mail", identity: "b" })).toBeUndefined();
  expect(views.find("v", "bea", { name: "mail", identity: "a" })).toBeUndefined();
});
