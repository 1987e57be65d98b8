import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AppLog } from "../app/app-log.js";
import { ReplayActions } from "./replay-actions.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const say = (log: AppLog, method: string, id?: number): unknown =>
  log.add({ direction: "in", message: { jsonrpc: "2.0", ...(id !== undefined && { id }), method } });
/** Sends messages that are no actions, again and again. */
const chatter = (log: AppLog): ReturnType<typeof setInterval> => {
  const words = ["notifications/message", "ui/notifications/size-changed", "ping"];
  let n = 0;
  return setInterval(() => say(log, `${words[n++ % 3]}`, n % 3 === 0 ? n : undefined), 100);
};

it("counts actions of the app, once, and ignores messages that depend on location and time", () => {
  const log = new AppLog();
  const actions = new ReplayActions(log);
  say(log, "ui/initialize", 1);
  say(log, "notifications/message");
  expect(actions.count).toBe(1);
  log.clear();
  say(log, "ui/message", 2);
  log.add({ direction: "out", message: { id: 2, result: {} } });
  expect([actions.count, actions.count]).toEqual([2, 2]);
});

it("considers an app quiet that only logs, reports its size and pings", async () => {
  const log = new AppLog();
  const heard = vi.fn();
  const timer = chatter(log);
  void new ReplayActions(log).quiet(500).then(heard);
  await vi.advanceTimersByTimeAsync(1100);
  clearInterval(timer);
  expect(heard).toHaveBeenCalled();
});

it("other messages do not extend the wait for an action, and actions do", async () => {
  const log = new AppLog();
  const heard = vi.fn();
  const timer = chatter(log);
  void new ReplayActions(log)
    .reach(
      2,
      () => false,
      () => 3000,
    )
    .then(heard);
  await vi.advanceTimersByTimeAsync(2900);
  say(log, "ui/initialize", 1);
  await vi.advanceTimersByTimeAsync(2900);
  expect(heard).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(300);
  clearInterval(timer);
  expect(heard).toHaveBeenCalled();
});

it("stops waiting when there are enough actions, or when no more can come", async () => {
  const log = new AppLog();
  const actions = new ReplayActions(log);
  const heard = vi.fn();
  let isOver = false;
  const wait = (count: number): void =>
    void actions
      .reach(
        count,
        () => isOver,
        () => 30_000,
      )
      .then(() => heard(count));
  wait(1);
  wait(9);
  say(log, "ui/initialize", 1);
  await vi.advanceTimersByTimeAsync(100);
  expect(heard.mock.calls).toEqual([[1]]);
  isOver = true;
  log.step("failed");
  await vi.advanceTimersByTimeAsync(100);
  expect(heard.mock.calls).toEqual([[1], [9]]);
});
