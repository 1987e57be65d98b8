/**
 * The dialog in which a user chooses how often the apps of a server ask.
 *
 * @module
 */
import { useEffect, useState } from "react";
import { ApprovalList } from "../../model/approvals.js";
import { AskLevelChoice } from "../shell/ask-level-choice.js";
import { useObservable } from "../use-observable.js";
import { SetupDialog } from "./setup-dialog.js";

/** Props of a {@link LevelDialog}. */
export interface LevelDialogProps {
  name: string;
  identity: string;
  onClose: () => void;
}

/** The dialog. A choice is in force at once. */
export function LevelDialog({ name, identity, onClose }: LevelDialogProps) {
  const [approvals] = useState(() => new ApprovalList());
  useObservable(approvals);
  useEffect(() => void approvals.load(), [approvals]);
  return (
    <SetupDialog title={`How often apps of ${name} ask`} onClose={onClose} problem={approvals.problem}>
      <p className="soft">
        A level adds questions, and takes none away that the gateway's policy asks. The model's own calls are
        asked about separately.
      </p>
      <AskLevelChoice approvals={approvals} server={name} identity={identity} />
    </SetupDialog>
  );
}
