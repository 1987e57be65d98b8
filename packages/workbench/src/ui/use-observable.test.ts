import { JSDOM } from "jsdom";
import { createElement, useLayoutEffect } from "react";
import type { Root } from "react-dom/client";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { Observable } from "../model/observable.js";
import { useObservedCalmly } from "./use-observable.js";

class Light extends Observable {
  color = "red";
  /** The first render. */
  onshown = (): void => {};

  turn(color: string): void {
    this.color = color;
    this.changed();
  }
}

function Shown({ light }: { light: Light }): string {
  useObservedCalmly(light);
  useLayoutEffect(() => light.onshown(), [light]);
  return light.color;
}

let root: Root;
const { window } = new JSDOM("<main></main>");
const { document, navigator } = window;
const shown = (): string | null | undefined => document.querySelector("main")?.textContent;

beforeAll(async () => {
  for (const [name, value] of Object.entries({ window, document, navigator })) vi.stubGlobal(name, value);
  root = (await import("react-dom/client")).createRoot(document.querySelector("main") as HTMLElement);
});
afterAll(async () => {
  root.unmount();
  // React unmounts it later, and reads the window then.
  await new Promise((resolve) => setTimeout(resolve, 50));
  vi.unstubAllGlobals();
});

it("renders the last change, of each model, whatever the state of the previous one", async () => {
  const first = new Light();
  root.render(createElement(Shown, { light: first }));
  await expect.poll(shown).toBe("red");
  first.turn("green");
  await expect.poll(shown).toBe("green");
  // The second changes as often as the first did, before it has a listener.
  const second = new Light();
  second.onshown = () => second.turn("yellow");
  root.render(createElement(Shown, { light: second }));
  await expect.poll(shown).toBe("yellow");
  expect(second.version).toBe(first.version);
});
