/**
 * What a person would do with an app: click on something, wait for something.
 *
 * @module
 */
import type { Frame, Locator } from "playwright-core";
import { CliError } from "../exit.js";

/** Milliseconds between two looks for what is to be clicked. */
const LOOK = 100;

/**
 * Clicks on what has this text, or is meant by this selector: a button rather than a paragraph that says the same.
 *
 * @throws {CliError} `click-failed`
 */
export async function click(frame: Frame, target: string, timeout: number): Promise<void> {
  const deadline = Date.now() + timeout;
  const found = await find(frame, target, deadline);
  if (!found)
    throw new CliError(
      "click-failed",
      `--click ${target}: the app shows no such text, and has no such element`,
    );
  try {
    await found.click({ timeout: Math.max(1, deadline - Date.now()) });
  } catch (cause) {
    const reasons = String(Object(cause).message)
      .split("\n")
      .filter((line) => /not (visible|enabled|stable)|intercepts|outside|detached/.test(line));
    const [why = "it cannot be clicked"] = reasons.slice(-1);
    throw new CliError("click-failed", `--click ${target}: ${why.replace(/^[\s-]+/, "")}`, { cause });
  }
}

async function find(frame: Frame, target: string, deadline: number): Promise<Locator | undefined> {
  const places = [
    ...(["button", "link", "tab", "menuitem", "checkbox", "radio"] as const).map((role) =>
      frame.getByRole(role, { name: target }),
    ),
    frame.getByLabel(target),
    frame.getByText(target),
    ...(isSelector(target) ? [frame.locator(`css=${target}`)] : []),
  ].map((place) => place.filter({ visible: true }).first());
  for (;;) {
    for (const place of places) if ((await place.count().catch(() => 0)) > 0) return place;
    if (Date.now() >= deadline) return undefined;
    await pause(LOOK);
  }
}

/** Words are not: they would be elements that no document has. */
const isSelector = (target: string): boolean => /^[#.[*:]|^[a-z][\w-]*($|[#.[:> ])/i.test(target);

/**
 * Waits for a text, or so many milliseconds.
 *
 * @throws {CliError} `wait-timeout`
 */
export async function wait(frame: Frame, what: string | number, timeout: number): Promise<void> {
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
