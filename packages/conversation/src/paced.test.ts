import { expect, it } from "vitest";
import { conversationStage, Follower, text } from "../../../testing/gateway/conversation-stage.js";
import { manualClock } from "../../../testing/gateway/manual-clock.js";
import { paced } from "./paced.js";

it("tells the first at once, then the last of each pause, and nothing when nothing comes", () => {
  const clock = manualClock();
  const told: number[] = [];
  const tell = paced<number>(clock, 100, (value) => told.push(value));
  for (const value of [1, 2, 3]) tell(value);
  expect(told).toEqual([1]);
  clock.pass(99);
  expect(told).toEqual([1]);
  clock.pass(1);
  expect(told).toEqual([1, 3]);
  clock.pass(300);
  expect(told).toEqual([1, 3]);
  tell(4);
  expect(told).toEqual([1, 3, 4]);
});

it("a server that tells of its progress a thousand times is told of a few times, and the last word is among them", async () => {
  let finish = (): void => {};
  const stage = await conversationStage([], {
    tools: {
      copy: {
        work: async (_input, { onprogress }) => {
          for (let progress = 1; progress <= 1000; progress++) {
            onprogress({ progress });
            // Each in a turn of its own, as from a wire.
            await new Promise(setImmediate);
          }
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
          return text("copied");
        },
      },
    },
  });
  try {
    const conversation = await stage.conversations.open("ada");
    const page = new Follower(conversation);
    const began = Date.now();
    await conversation.call("weather", "copy");
    await expect.poll(() => page.calls[0]?.progress).toEqual({ progress: 1000 });
    const told = page.notices.flat().filter(({ kind }) => kind === "progress");
    // One at once, and one for each tenth of a second that it took.
    expect(told.length).toBeLessThanOrEqual(2 + (Date.now() - began) / 100);
    finish();
    await expect.poll(() => page.calls[0]?.state).toBe("done");
  } finally {
    await stage.close();
  }
});
