import { GatewayError, type OpenedView, type ViewPlace } from "@vitrine/wire";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Restores } from "./restores.js";

const placeAt = (src: string) => ({ src }) as ViewPlace;
const viewOf = (view: string): OpenedView => ({
  view,
  server: "shop",
  capabilities: {},
  uri: "ui://shop/cart",
  place: placeAt("http://old"),
});

/** Views that are restored on request. */
function setUp() {
  const running: {
    opened: OpenedView;
    signal: AbortSignal;
    back(view: OpenedView): void;
    fail(error: Error): void;
  }[] = [];
  const onerror = vi.fn();
  const restore = (opened: OpenedView, signal: AbortSignal) =>
    new Promise<OpenedView>((back, fail) => running.push({ opened, signal, back, fail }));
  return { restores: new Restores({ restore, onerror }), running, onerror };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("restored views", () => {
  it("are waited for briefly: a slow one blocks nobody, and is reported as being read", async () => {
    const { restores, running } = setUp();
    const [fast, slow] = [viewOf("v1"), viewOf("v2")];
    const over = vi.fn();
    const wait = restores.wait([fast, slow]).then(over);
    running[0]?.back({ ...fast, place: placeAt("http://new") });
    await vi.advanceTimersByTimeAsync(1900);
    expect(over).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(100);
    await wait;
    expect(restores.asShown(fast)).toMatchObject({ place: { src: "http://new" } });
    expect(restores.asShown(fast).problem).toBeUndefined();
    // It returns to the same address, so a frame that retries finds it there.
    expect(restores.asShown(slow)).toMatchObject({
      place: { src: "http://old" },
      problem: { code: "load-failed", message: expect.stringContaining("try again") },
    });
    // It continues, and the result is kept.
    running[1]?.back({ ...slow, place: placeAt("http://later") });
    await restores.wait([]);
    expect(restores.asShown(slow)).toEqual({ ...viewOf("v2"), place: placeAt("http://later") });
  });

  it("are restored once at a time each", async () => {
    const { restores, running } = setUp();
    const opened = viewOf("v1");
    const waits = [restores.wait([opened]), restores.wait([opened])];
    expect(running).toHaveLength(1);
    running[0]?.back(opened);
    await Promise.all(waits);
    const again = restores.wait([opened]);
    expect(running).toHaveLength(2);
    running[1]?.back(opened);
    await again;
  });

  it("get the current data of their server; their call stays", async () => {
    const { restores, running } = setUp();
    const opened: OpenedView = {
      ...viewOf("v1"),
      input: { a: 1 },
      problem: { code: "load-failed", message: "" },
    };
    const wait = restores.wait([opened]);
    const tool = { name: "show", inputSchema: { type: "object" as const } };
    running[0]?.back({ ...viewOf("v1"), uri: "ui://shop/new", hash: "new", tool });
    await wait;
    expect(opened).toEqual({ ...viewOf("v1"), uri: "ui://shop/new", hash: "new", tool, input: { a: 1 } });
  });

  it("report why they cannot be restored", async () => {
    const { restores, running, onerror } = setUp();
    const views = [viewOf("v1"), viewOf("v2")];
    const wait = restores.wait(views);
    running[0]?.fail(new GatewayError("server-exited", "it ended"));
    running[1]?.fail(new Error("what nobody may know"));
    await wait;
    expect(views[0]).toMatchObject({
      place: undefined,
      problem: { code: "load-failed", message: expect.stringContaining("it ended") },
    });
    expect(views[1]?.problem?.message).not.toContain("nobody may know");
    expect(onerror).toHaveBeenCalledTimes(1);
  });

  it.each(["back", "fail"] as const)("that are closed meanwhile do not change (%s)", async (end) => {
    const { restores, running, onerror } = setUp();
    const opened = viewOf("v1");
    const wait = restores.wait([opened]);
    restores.stop("v1");
    expect(running[0]?.signal.aborted).toBe(true);
    if (end === "back") running[0]?.back({ ...opened, place: placeAt("http://new") });
    else running[0]?.fail(new Error("stopped"));
    await wait;
    expect(opened).toEqual(viewOf("v1"));
    expect(onerror).not.toHaveBeenCalled();
  });
});
