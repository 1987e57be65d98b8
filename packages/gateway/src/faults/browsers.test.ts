/** Failing connections between a browser and the gateway, and misbehaving browsers. */
import { setTimeout as delay } from "node:timers/promises";
import { MAX_FRAME_BYTES } from "@vitrine/wire";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  byPage,
  byView,
  codes,
  FaultStage,
  fine,
  many,
  type Outcome,
  tabStorage,
} from "../../../../testing/gateway/fault-stage.ts";

/** A page behind the line, with a view, and pending calls of both. */
async function busyPage(stage: FaultStage, heartbeat?: number) {
  const page = await stage.page(heartbeat === undefined ? {} : { heartbeat });
  const view = await page.openView({ server: "faulty", tool: "echo" });
  const callers = [byPage(page), byView(view)];
  const calls = async (count: number, after: number): Promise<Promise<Outcome[]>[]> => {
    const made = callers.map((caller) =>
      Promise.all(many(count, () => stage.call(caller, "slow", { after }))),
    );
    await expect.poll(() => stage.effectsOf(2 * count)).toBe(2 * count);
    return made;
  };
  return { page, calls };
}

describe("a page", () => {
  let stage: FaultStage;
  beforeAll(async () => {
    stage = await FaultStage.open();
  });
  afterAll(() => stage.close());

  it("whose socket is reset resumes where it was", async () => {
    const { page, calls } = await busyPage(stage);
    const made = await calls(10, 300);
    stage.line.reset();
    fine((await Promise.all(made)).flat());
    expect(page.state).toMatchObject({ phase: "open", resumed: true });
    await stage.checkOracle();
    stage.closePage(page);
  });

  it("whose line is frozen notices, and continues over another", async () => {
    const { page, calls } = await busyPage(stage, 300);
    const made = await calls(10, 100);
    stage.line.freeze();
    fine((await Promise.all(made)).flat());
    expect(page.state).toMatchObject({ phase: "open", resumed: true });
    // The network drops the old line; until then the gateway cannot know.
    stage.line.drop();
    await stage.checkOracle();
    stage.closePage(page);
  });

  it("that is duplicated in a second tab loses its session to it, and both get their own answers", async () => {
    const storage = tabStorage();
    let takenOver = 0;
    const first = await stage.page({ storage, ontakenover: () => takenOver++ });
    const early = Promise.all(many(10, () => stage.call(byPage(first), "slow", { after: 3000 })));
    await expect.poll(() => stage.effectsOf(10)).toBe(10);
    const second = await stage.page({ storage: tabStorage(storage.map) });
    await expect.poll(() => takenOver).toBe(1);
    // Requests of the first tab belonged to the session that it lost.
    expect(new Set(codes(await early))).toEqual(new Set(["closed"]));
    const late = [first, second].flatMap((page) => many(10, () => stage.call(byPage(page), "echo")));
    fine(await Promise.all(late));
    await stage.checkOracle();
    stage.closePage(first);
    stage.closePage(second);
  });

  it("that does not read fills only its own queue, and blocks nobody", async () => {
    const before = await stage.memory();
    const slow = await stage.page();
    const other = await stage.page({ user: "bob", over: "http" });
    stage.line.holdDown();
    const made = many(30, () => stage.call(byPage(slow), "large", { bytes: 1_000_000 }));
    await expect.poll(() => stage.metric("vitrine_queue_depth")).toBeGreaterThan(10_000_000);
    fine(await Promise.all(many(10, () => stage.call(byPage(other), "echo"))));
    stage.line.letDown();
    fine(await Promise.all(made));
    await stage.checkOracle();
    await stage.checkMemory(before);
    stage.closePage(slow);
    stage.closePage(other);
  });

  it("whose network stops passing WebSockets continues by HTTP in the middle of its calls", async () => {
    const { page, calls } = await busyPage(stage);
    const made = await calls(10, 300);
    stage.line.isOpen = false;
    stage.line.reset();
    fine((await Promise.all(made)).flat());
    expect(page.state).toMatchObject({ phase: "open", over: "http", resumed: true });
    fine([await stage.call(byPage(page), "echo")]);
    stage.line.isOpen = true;
    await stage.checkOracle();
    stage.closePage(page);
  });
});

describe("misbehaving browsers", () => {
  const HELLO = 'hello {"version":1,"received":0}';
  let stage: FaultStage;
  beforeAll(async () => {
    stage = await FaultStage.open({ session: { grace: 1000, perUser: 100 } });
  });
  afterAll(() => stage.close());

  /** Sends a hello and an invalid frame, and returns the last frame and the close code. */
  async function misbehave(frame: string | Buffer): Promise<{ last: string; code: number }> {
    const socket = stage.socket("bob");
    let last = "";
    socket.once("open", () => socket.send(HELLO));
    socket.once("message", () => socket.send(frame));
    socket.on("message", (data) => {
      last = String(data);
    });
    return new Promise((resolve, reject) => {
      socket.once("error", reject);
      socket.once("close", (code) => resolve({ last, code }));
    });
  }

  it("with a frame that is too large lose their connection", async () => {
    const page = await stage.page();
    const { code } = await misbehave(`1 0 . ${"x".repeat(MAX_FRAME_BYTES)}`);
    expect(code).toBe(1009);
    fine([await stage.call(byPage(page), "echo")]);
    await stage.checkOracle();
    stage.closePage(page);
  });

  it("with an invalid frame lose their session", async () => {
    const page = await stage.page();
    for (const frame of ["nonsense", "-1 0 . {}", Buffer.from("1 0 . {}")]) {
      const { last, code } = await misbehave(frame);
      expect(last).toMatch(/^bye .*"malformed"/);
      expect(code).toBe(4000);
    }
    fine([await stage.call(byPage(page), "echo")]);
    await stage.checkOracle();
    stage.closePage(page);
  });

  it("that connect 10,000 times in 5 s, or as often as they can, do no harm", async () => {
    const page = await stage.page();
    const before = await stage.memory();
    const until = performance.now() + 5000;
    let tried = 0;
    let welcomed = 0;
    const connect = async (): Promise<void> => {
      // A busy machine accepts few in time; then it takes longer.
      while (tried < 10_000 && (performance.now() < until || welcomed <= 100)) {
        const way = tried++ % 3;
        const socket = stage.socket("bob");
        await new Promise<void>((resolve) => {
          socket.once("open", () => (way === 0 ? socket.terminate() : socket.send(HELLO)));
          socket.once("message", () => {
            welcomed++;
            if (way === 1) socket.terminate();
            else socket.close();
          });
          socket.once("error", () => resolve());
          socket.once("close", () => resolve());
        });
      }
    };
    const flood = Promise.all(many(50, connect));
    const outcomes: Outcome[] = [];
    const isFlooding = { value: true };
    void flood.then(() => {
      isFlooding.value = false;
    });
    while (isFlooding.value) {
      outcomes.push(await stage.call(byPage(page), "echo"));
      await delay(20);
    }
    await flood;
    expect(welcomed).toBeGreaterThan(100);
    fine(outcomes);
    await stage.checkOracle();
    await stage.checkMemory(before);
    stage.closePage(page);
  });
});
