import { describe, expect, it } from "vitest";
import { type Mount, MountQueue } from "./mount-queue.js";

/** A queue, with a record of what was started in it. */
function setUp(most: number, visibleAtOnce: number) {
  const started: string[] = [];
  const queue = new MountQueue(most, visibleAtOnce);
  const mounts = new Map<string, Mount>();
  const visible = new Set<string>();
  return {
    started,
    visible,
    /** Requests turns, like elements that are inserted together. */
    async enter(...names: string[]): Promise<void> {
      for (const name of names) {
        const mount = { isVisible: () => visible.has(name), start: () => void started.push(name) };
        mounts.set(name, mount);
        queue.enter(mount);
      }
      await Promise.resolve();
    },
    leave: (name: string) => queue.leave(mounts.get(name) as Mount),
  };
}

describe("the mount queue", () => {
  it("starts as many as may load together, and the next when one is done", async () => {
    const { enter, leave, started } = setUp(2, 2);
    await enter("a", "b", "c", "d");
    expect(started).toEqual(["a", "b"]);
    leave("b");
    expect(started).toEqual(["a", "b", "c"]);
  });

  it("starts visible apps first, whenever they came", async () => {
    const { enter, leave, started, visible } = setUp(2, 2);
    visible.add("c").add("d");
    await enter("a", "b", "c", "d");
    expect(started).toEqual(["c", "d"]);
    leave("c");
    expect(started, "nothing unseen beside what somebody waits for").toEqual(["c", "d"]);
    leave("d");
    expect(started).toEqual(["c", "d", "a", "b"]);
  });

  it("does not start everything on screen at once", async () => {
    const { enter, leave, started, visible } = setUp(3, 1);
    visible.add("a").add("b");
    await enter("a", "b", "c", "d", "e", "f");
    expect(started).toEqual(["a"]);
    leave("a");
    expect(started).toEqual(["a", "b"]);
    leave("b");
    expect(started).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("checks visibility at each turn, because users scroll", async () => {
    const { enter, leave, started, visible } = setUp(1, 1);
    await enter("a", "b", "c");
    visible.add("c");
    leave("a");
    expect(started).toEqual(["a", "c"]);
  });

  it("drops unwanted entries", async () => {
    const { enter, leave, started } = setUp(1, 1);
    await enter("a", "b", "c");
    leave("b");
    leave("a");
    expect(started).toEqual(["a", "c"]);
  });
});
