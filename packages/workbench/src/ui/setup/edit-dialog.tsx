/**
 * Changes a server of the settings file.
 *
 * @module
 */
import type { WrittenServer } from "@vitrine/wire";
import { useEffect, useState } from "react";
import { messageOf } from "../../model/messages/messages.js";
import { draftOf, fieldsOf } from "../../model/server-fields.js";
import type { Setup } from "../../model/setup.js";
import { useObservable } from "../use-observable.js";
import { PendingView } from "./pending-view.js";
import { ServerForm } from "./server-form.js";
import { SetupDialog } from "./setup-dialog.js";

/** Props of an {@link EditDialog}. */
export interface EditDialogProps {
  setup: Setup;
  /** As it was when the dialog was opened: a change of another version is refused. */
  server: WrittenServer;
  onClose: () => void;
}

/** The dialog. */
export function EditDialog({ setup, server, onClose }: EditDialogProps) {
  useObservable(setup);
  const kind = server.url === undefined ? "command" : "address";
  const [fields, setFields] = useState(() => fieldsOf(kind, server));
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [waiting, setWaiting] = useState<string>();
  const save = async (): Promise<void> => {
    const draft = draftOf(fields);
    if (typeof draft === "string") {
      setProblem(draft);
      return;
    }
    setBusy(true);
    try {
      const { name, version } = server;
      const { pending } = await setup.send("gateway/change-server", { name, version, draft });
      if (pending) setWaiting(pending.id);
      else onClose();
    } catch (error) {
      setProblem(messageOf(error));
    }
    setBusy(false);
  };
  const pending = setup.pending.find(({ id }) => id === waiting);
  const isDone = waiting !== undefined && !pending;
  useEffect(() => {
    if (isDone) onClose();
  }, [isDone, onClose]);
  if (pending)
    return (
      <SetupDialog title="Confirm in the terminal" onClose={onClose}>
        <PendingView setup={setup} pending={pending} />
      </SetupDialog>
    );
  return (
    <SetupDialog
      title={`Edit ${server.name}`}
      onClose={onClose}
      problem={problem}
      action="Save"
      onAction={() => void save()}
      isBusy={isBusy}
    >
      <ServerForm fields={fields} onChange={setFields} folder={setup.state?.folder} isKnown />
    </SetupDialog>
  );
}
