import { describe, expect, it, vi } from "vitest";
import { callOf } from "../../../../../testing/workbench/conversation-stage.js";
import type { AppModel } from "./app-model.js";
import { PageCall } from "./call-item.js";
import { PinUpdates } from "./pin-updates.js";

type Told = Parameters<typeof callOf>[1];

const RUNNING = { state: "running", identity: "1" } as const;

function setUp() {
  const calls: PageCall[] = [];
  const reloads: (string | undefined)[] = [];
  const remembered: string[] = [];
  /** Whether the app cannot be opened. */
  const trouble = { isOn: false };
  const pins: PinUpdates = new PinUpdates({
    calls: () => calls,
    reload: async (item) => {
      reloads.push(item.latest);
      if (trouble.isOn) pins.failed(item);
      else pins.attached(item, item.latest ?? item.id);
    },
    remember: ({ id }) => void remembered.push(id),
  });
  const add = (id: string, more: Told = {}): PageCall => {
    const item = new PageCall(callOf(id, { identity: "1", ...more }));
    calls.push(item);
    return item;
  };
  const pin = add("pin", { page: { isPinned: true, isFollowing: true } });
  pin.app = {} as AppModel;
  pins.attached(pin, "pin");
  return { pins, calls, reloads, remembered, trouble, add, pin };
}

/** A call that ended. */
const end = (item: PageCall, more: Told = {}): void => item.take(callOf(item.id, { identity: "1", ...more }));
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

describe("a new call of a pinned app's tool", () => {
  it("goes to it when it is over, once, however often it is reported", async () => {
    const { pins, add, pin, reloads, remembered } = setUp();
    const item = add("a", RUNNING);
    pins.claim(item);
    expect([item.pin, item.wantsApp, item.page.pin]).toEqual(["pin", false, "pin"]);
    const over = vi.spyOn(item, "over");
    void pins.deliver(item);
    void pins.deliver(item);
    await settle();
    expect(reloads).toEqual([]);
    end(item);
    await settle();
    expect(reloads).toEqual(["a"]);
    expect(over).toHaveBeenCalledTimes(1);
    expect([pins.shownIn(pin), pins.pinOf(item), pin.page.latest]).toEqual([item, pin, "a"]);
    // Both are stored: which app shows it, and what that app shows.
    expect(remembered).toEqual(["a", "pin"]);
  });

  it.each([
    ["another server", { identity: "2" }],
    ["another tool", { tool: "other" }],
    ["a tool of an app", { app: { view: "v", title: "App" } as never }],
  ])("of %s does not", (_name, more) => {
    const { pins, add } = setUp();
    const item = add("a", { ...RUNNING, ...more });
    pins.claim(item);
    expect(item.pin).toBeUndefined();
  });

  it("does not if nobody knows which servers they belong to", () => {
    const { pins, calls, add, pin } = setUp();
    const unknown = new PageCall(callOf("u", { page: { isPinned: true, isFollowing: true } }));
    unknown.app = pin.app;
    calls.push(unknown);
    const item = add("a", { ...RUNNING, identity: undefined });
    pins.claim(item);
    expect(item.pin).toBeUndefined();
  });

  it.each(["isPinned", "isFollowing"] as const)("does not without %s", (field) => {
    const { pins, add, pin } = setUp();
    pin.update({ [field]: false });
    const item = add("a", RUNNING);
    pins.claim(item);
    expect(item.pin).toBeUndefined();
  });

  it.each([
    ["failed", { state: "failed", problem: "no" }],
    ["was cancelled", { state: "cancelled" }],
    ["returned an error", { result: { content: [], isError: true } }],
    ["was not made", { hasApp: false }],
  ] as const)("leaves the app as it is if it %s", async (_name, more) => {
    const { pins, add, pin, reloads } = setUp();
    const item = add("a", { ...RUNNING, by: "model" });
    pins.claim(item);
    void pins.deliver(item);
    end(item, { by: "model", ...(more as Told) });
    await settle();
    expect(reloads).toEqual([]);
    expect([pin.latest, item.pin, item.page.isClosed]).toEqual([undefined, undefined, true]);
  });

  it("stays in the pin if an earlier one ends after it", async () => {
    const { pins, add, pin, reloads } = setUp();
    const [first, second] = [add("a", RUNNING), add("b", RUNNING)];
    for (const item of [first, second]) {
      pins.claim(item);
      void pins.deliver(item);
    }
    end(second);
    await settle();
    end(first);
    await settle();
    expect(reloads).toEqual(["b"]);
    expect([pin.latest, first.pin]).toEqual(["b", "pin"]);
  });

  it("is shown without an app if the pinned one cannot be reloaded, which keeps its call", async () => {
    const { pins, add, pin, trouble } = setUp();
    const first = add("a");
    pins.claim(first);
    await pins.deliver(first);
    trouble.isOn = true;
    const second = add("b");
    pins.claim(second);
    await pins.deliver(second);
    expect([pin.latest, first.pin, second.pin, second.isAppClosed]).toEqual(["a", "pin", undefined, true]);
  });

  it("is a card again when its pin is gone", () => {
    const { pins, add, pin } = setUp();
    const item = add("a");
    pins.claim(item);
    pin.update({ isPinned: false });
    expect(pins.pinOf(item)).toBeUndefined();
    expect(item.wantsApp).toBe(false);
  });

  it("gives the app back to its own call when it is removed", async () => {
    const { pins, calls, add, pin, reloads } = setUp();
    const item = add("a");
    pins.claim(item);
    await pins.deliver(item);
    calls.pop();
    pins.removed(item);
    expect(reloads).toEqual(["a", undefined]);
    expect([pin.latest, pins.shownIn(pin)]).toEqual([undefined, pin]);
  });
});
