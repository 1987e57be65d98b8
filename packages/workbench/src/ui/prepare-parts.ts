/**
 * Loads the rest of the page's code before somebody needs it, and after the first app has been drawn.
 *
 * @module
 */
import type { Item } from "../model/conversation/conversation.js";
import type { Workbench } from "../model/workbench.js";
import { idle } from "./idle.js";
import { unprepared } from "./loaded.js";

/** Milliseconds after which a page without apps loads the rest, too. */
const WITHOUT = 10_000;
/** Milliseconds for which the first app has the processor to itself. */
const FIRST_APP = 1_000;

/** Loads all parts, one in each idle moment: those that are found in loaded parts, too. */
export async function prepareParts(workbench: Workbench): Promise<void> {
  await firstApp(workbench);
  for (;;) {
    await idle();
    const [next] = unprepared();
    if (!next) return;
    await next.prepare();
  }
}

/** Resolves when the first app is drawn, or no call has needed one for a while. */
function firstApp({ conversation }: Workbench): Promise<void> {
  return new Promise((resolve) => {
    let isLate = false;
    const look = (): void => {
      const [app] = conversation.apps;
      if (app) void app.settled.then(() => setTimeout(resolve, FIRST_APP));
      else if (isLate && !conversation.items.some(isRunning)) resolve();
      else return;
      unsubscribe();
    };
    const unsubscribe = conversation.subscribe(look);
    setTimeout(() => {
      isLate = true;
      look();
    }, WITHOUT);
    look();
  });
}

const isRunning = (item: Item): boolean => item.kind === "call" && !item.isOver;
