/**
 * Opens the list of conversations.
 *
 * @module
 */
import { History } from "lucide-react";
import type { Workbench } from "../../model/workbench.js";
import { part } from "../part.js";
import { PopoverButton } from "../popover-button.js";

const ConversationList = part(
  "The list of conversations",
  async () => (await import("./conversation-list.js")).ConversationList,
);

/** Props of a {@link ConversationsButton}. */
export interface ConversationsButtonProps {
  workbench: Workbench;
  /** Finds the words of a search in the conversation that was opened. */
  onFind: (words: string) => void;
}

/** A button with the list in a popover. */
export function ConversationsButton({ workbench, onFind }: ConversationsButtonProps) {
  return (
    <PopoverButton
      button={{
        className: "button quiet",
        "aria-label": "Conversations",
        children: (
          <>
            <History />
            <span className="wide-only">Conversations</span>
          </>
        ),
      }}
      prepare={ConversationList.prepare}
      className="conversations"
      label="Conversations"
      popoverClass="conversations-popover"
      placement="bottom start"
    >
      {(close) => <ConversationList workbench={workbench} onDone={close} onFind={onFind} />}
    </PopoverButton>
  );
}
