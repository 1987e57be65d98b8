/**
 * Saves, opens and plays recordings.
 *
 * @module
 */
import { Disc, X } from "lucide-react";
import { type ChangeEvent, useEffect, useRef, useState } from "react";
import { Button } from "react-aria-components";
import { createPortal } from "react-dom";
import type { AppModel } from "../../model/app/app-model.js";
import { messageOf } from "../../model/messages/messages.js";
import type { Workbench } from "../../model/workbench.js";
import { MenuButton } from "../menu-button.js";
import { part } from "../part.js";
import { useObserved } from "../use-observable.js";
import "./replay.css";
import { replaysOf } from "./replays.js";

/** Loaded when it is opened. */
const SaveDialog = part("The dialog", async () => (await import("./save-dialog.js")).SaveDialog);

/** The menu. The playback controls are at the bottom of the page: `ReplayPlace`. */
export function RecordingMenu({ workbench }: { workbench: Workbench }) {
  const selected = useObserved(workbench, (each) => each.selected);
  const [saving, setSaving] = useState<AppModel>();
  const [problem, setProblem] = useState<string>();
  const file = useRef<HTMLInputElement>(null);
  const open = async (chosen: File | undefined): Promise<void> => {
    if (!chosen) return;
    setProblem(undefined);
    try {
      await replaysOf(workbench).open(await chosen.text());
    } catch (error) {
      setProblem(`${chosen.name} cannot be played: ${messageOf(error)}.`);
    }
  };
  const isDropping = useDrop((chosen) => void open(chosen));
  return (
    <>
      <MenuButton
        name="Recording"
        className="button quiet"
        entries={[
          {
            id: "save",
            label: "Save a recording…",
            note: selected ? selected.source.title : "Select an app first",
            isDisabled: !selected,
          },
          { id: "open", label: "Open a recording…", note: "Or drop its file anywhere in the page" },
        ]}
        onAction={(id) => (id === "save" ? setSaving(selected) : file.current?.click())}
      >
        <Disc />
        <span className="wide-only">Recording</span>
      </MenuButton>
      <input
        ref={file}
        type="file"
        accept=".jsonl"
        hidden
        aria-label="Recording"
        onChange={({ target }: ChangeEvent<HTMLInputElement>) => {
          const [chosen] = target.files ?? [];
          void open(chosen);
          // Allows choosing the same file again.
          target.value = "";
        }}
      />
      {saving && <SaveDialog app={saving} onClose={() => setSaving(undefined)} />}
      {createPortal(
        <>
          {problem && (
            <div className="recording-problem problem" role="alert">
              <span>{problem}</span>
              <Button
                className="button quiet icon"
                aria-label="Dismiss"
                onPress={() => setProblem(undefined)}
              >
                <X />
              </Button>
            </div>
          )}
          {isDropping && <p className="recording-drop">Drop a recording to play it</p>}
        </>,
        document.body,
      )}
    </>
  );
}

/** Handles files dropped into the page; returns whether one is being dragged. */
function useDrop(onFile: (file: File | undefined) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  const take = useRef(onFile);
  take.current = onFile;
  useEffect(() => {
    const hasFiles = ({ dataTransfer }: DragEvent): boolean => !!dataTransfer?.types.includes("Files");
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsOver(true);
    };
    const leave = ({ relatedTarget }: DragEvent): void => {
      if (!relatedTarget) setIsOver(false);
    };
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsOver(false);
      take.current(event.dataTransfer?.files[0]);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
  return isOver;
}
