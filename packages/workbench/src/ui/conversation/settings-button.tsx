/**
 * Opens the settings of the current conversation: instructions and temperature.
 *
 * @module
 */
import { SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import { Button } from "react-aria-components";
import type { PageConversation } from "../../model/conversation/conversation.js";
import { part } from "../part.js";
import { useObserved } from "../use-observable.js";

const SettingsDialog = part(
  "The settings",
  async () => (await import("./settings-dialog.js")).SettingsDialog,
);

/** A button with the dialog. */
export function SettingsButton({ conversation }: { conversation: PageConversation }) {
  const [isOpen, setOpen] = useState(false);
  const { system, temperature } = useObserved(conversation, ({ settings }) => settings);
  const isSet = system !== undefined || temperature !== undefined;
  return (
    <>
      <Button
        className={isSet ? "button quiet icon is-changed" : "button quiet icon"}
        aria-label={isSet ? "Settings of this conversation (changed)" : "Settings of this conversation"}
        onHoverStart={SettingsDialog.prepare}
        onFocus={SettingsDialog.prepare}
        onPress={() => setOpen(true)}
      >
        <SlidersHorizontal />
      </Button>
      {isOpen && <SettingsDialog conversation={conversation} onClose={() => setOpen(false)} />}
    </>
  );
}
