import { expect, it } from "vitest";
import { conversationStage, Follower, text } from "../../../testing/gateway/conversation-stage.js";
import { manualClock } from "../../../testing/gateway/manual-clock.js";
import { paced } from "./paced.js";

it("passes on the first value at once, then the last of each pause, and nothing without new values", () => {
  const clock = manualClock();
  const passed: number[] = [];
  const notify = paced<number>(clock, 100, (value) => passed.push(value));
  for (const value of [1, 2, 3]) notify(value);
  expect(passed).toEqual([1]);
  clock.pass(99);
  expect(passed).toEqual([1]);
  clock.pass(1);
  expect(passed).toEqual([1, 3]);
  clock.pass(300);
  expect(passed).toEqual([1, 3]);
  notify(4);
  expect(passed).toEqual([1, 3, 4]);
});

it("of a thousand progress messages of a server, a few are reported, including the last", async () => {
  let finish = (): void => {};
  const stage = await conversationStage([], {
    tools: {
      copy: {
        work: async (_input, { onprogress }) => {
          for (let progress = 1; progress <= 1000; progress++) {
            onprogress({ progress });
            // Each in its own turn of the event loop, as from a wire.
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
    const reported = page.notices.flat().filter(({ kind }) => kind === "progress");
    // The first at once, and then one for each tenth of a second.
    expect(reported.length).toBeLessThanOrEqual(2 + (Date.now() - began) / 100);
    finish();
    await expect.poll(() => page.calls[0]?.state).toBe("done");
  } finally {
    await stage.close();
  }
});
