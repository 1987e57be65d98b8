import { expect, it } from "vitest";
import { PendingChanges, type ProposedChange } from "./pending-changes.js";

it("a change that the user has allowed cannot be withdrawn while it is made: its secrets stay", async () => {
  const dropped: string[] = [];
  let [isApplying, finish] = [false, (): void => {}];
  const pending = new PendingChanges({
    host: { canAsk: true, lines: () => ["all"], command: () => undefined, confirm: async () => true },
    apply: () => {
      isApplying = true;
      return new Promise((resolve) => {
        finish = resolve;
      });
    },
    refused: () => {},
    dropped: ({ change }) => dropped.push(change),
    onchange: () => {},
    onerror: (error) => dropped.push(String(error)),
  });
  const proposed: ProposedChange = {
    user: "local",
    name: "tool",
    change: "add",
    before: undefined,
    entry: { command: "true" },
    secrets: new Map([["tool.KEY.0123456789ab", "s3cret"]]),
    sent: {},
  };
  const { id } = pending.add(proposed);
  await expect.poll(() => isApplying).toBe(true);
  pending.dismiss(id);
  const next = pending.add({ ...proposed, change: "edit" });
  expect(dropped).toEqual([]);
  expect(pending.list.map((each) => each.id)).toEqual([id, next.id]);
  finish();
  await expect.poll(() => pending.list.map((each) => each.id)).toEqual([next.id]);
});
