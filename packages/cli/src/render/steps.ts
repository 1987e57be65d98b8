/**
 * User steps in an app: clicks and waits.
 *
 * @module
 */
import type { RenderAct } from "@vitrine/workbench";
import type { Frame, Locator } from "playwright-core";
import { CliError } from "../exit.js";
import { within } from "./view-frame.js";

/** Milliseconds between attempts to find the click target. */
const LOOK = 100;

/**
 * Performs one step. `onact` is called before a click and after a wait: earlier messages of the app precede
 * it.
 *
 * @throws {CliError} `click-failed`, `wait-timeout`
 */
export async function act(
  frame: Frame,
  step: RenderAct,
  timeout: number,
  onact: () => Promise<void>,
): Promise<void> {
  if ("click" in step) return click(frame, step.click, timeout, onact);
  await wait(frame, step.wait, timeout);
  await onact();
}

/** Clicks the element with this text or selector: a button rather than a paragraph with the same text. */
async function click(
  frame: Frame,
  target: string,
  timeout: number,
  onact: () => Promise<void>,
): Promise<void> {
  const deadline = Date.now() + timeout;
  const found = await find(frame, target, deadline);
  if (typeof found === "string") throw new CliError("click-failed", `--click ${target}: ${found}`);
  try {
    const left = (): number => Math.max(1, deadline - Date.now());
    await found.click({ trial: true, timeout: left() });
    await onact();
    await found.click({ timeout: left() });
  } catch (cause) {
    const reasons = String(Object(cause).message)
      .split("\n")
      .filter((line) => /not (visible|enabled|stable)|intercepts|outside|detached/.test(line));
    const [why = "it cannot be clicked"] = reasons.slice(-1);
    throw new CliError("click-failed", `--click ${target}: ${why.replace(/^[\s-]+/, "")}`, { cause });
  }
}

/** The click target, or why there is none. */
async function find(frame: Frame, target: string, deadline: number): Promise<Locator | string> {
  const places = [
    ...(["button", "link", "tab", "menuitem", "checkbox", "radio"] as const).map((role) =>
      frame.getByRole(role, { name: target }),
    ),
    frame.getByLabel(target),
    frame.getByText(target),
    ...(isSelector(target) ? [frame.locator(`css=${target}`)] : []),
  ].map((place) => place.filter({ visible: true }).first());
  let why = "the app does not respond";
  for (;;) {
    for (const place of places) {
      const left = Math.max(0, deadline - Date.now());
      const count = await within<number | undefined>(
        left,
        place.count().catch(() => 0),
        undefined,
      );
      if (count === undefined) return why;
      if (count > 0) return place;
    }
    // It has answered.
    why = "the app shows no such text, and has no such element";
    if (Date.now() >= deadline) return why;
    await pause(LOOK);
  }
}

/** Plain words are not selectors: they would be elements that no document has. */
const isSelector = (target: string): boolean => /^[#.[*:]|^[a-z][\w-]*($|[#.[:> ])/i.test(target);

/** Waits for a text, or for milliseconds. */
async function wait(frame: Frame, what: string | number, timeout: number): Promise<void> {
  if (typeof what === "number") return pause(what);
  try {
    await frame.getByText(what).filter({ visible: true }).first().waitFor({ timeout });
  } catch (cause) {
    throw new CliError("wait-timeout", `--wait ${what}: the app did not show that within ${timeout} ms`, {
      cause,
    });
  }
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
