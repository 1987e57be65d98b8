/**
 * The place of an app in the conversation.
 *
 * @module
 */
import { useEffect, useLayoutEffect, useRef } from "react";
import type { AppModel } from "../../model/app/app-model.js";
import { APP_START, quietly } from "../../model/observable.js";
import type { Workbench } from "../../model/workbench.js";

/** Props of an {@link AppSlot}. */
export interface AppSlotProps {
  workbench: Workbench;
  app: AppModel;
  /** Whether it is pinned, and runs wherever the conversation is scrolled to. */
  isPinned?: boolean;
}

/** Puts the app's element into the page, and never moves it: a moved frame reloads. */
export function AppSlot({ workbench, app, isPinned = false }: AppSlotProps) {
  const slot = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    app.element.toggleAttribute("keep", isPinned || app.source.isRecording === true);
  }, [app, isPinned]);
  useLayoutEffect(() => {
    // It may already have replaced another one.
    if (app.element.parentNode === slot.current) return;
    slot.current?.append(app.element);
    // Selection and loading state are drawn after the app has started.
    void quietly(app.settled, APP_START);
  }, [app]);
  useEffect(() => {
    // The newest app is selected.
    workbench.select(app);
    const look = (): void => workbench.select(app);
    // A click into a frame fires no event here, but the window loses the focus to it.
    const blurred = (): void => {
      if (document.activeElement === app.element) look();
    };
    const { current } = slot;
    current?.addEventListener("pointerdown", look);
    current?.addEventListener("focusin", look);
    addEventListener("blur", blurred);
    return () => {
      current?.removeEventListener("pointerdown", look);
      current?.removeEventListener("focusin", look);
      removeEventListener("blur", blurred);
      if (workbench.selected === app)
        workbench.select(workbench.conversation.apps.findLast((other) => other !== app));
    };
  }, [workbench, app]);
  return <div ref={slot} className="app-slot" />;
}
