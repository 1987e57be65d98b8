/**
 * Opens the settings of the current conversation: instructions and temperature.
 *
 * @module
 */
import { SlidersHorizontal } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { Button } from "react-aria-components";
import type { PageConversation } from "../../model/conversation/conversation.js";
import { useObserved } from "../use-observable.js";

const SettingsDialog = lazy(async () => ({
  default: (await import("./settings-dialog.js")).SettingsDialog,
}));

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
        onPress={() => setOpen(true)}
      >
        <SlidersHorizontal />
      </Button>
      {isOpen && (
        <Suspense>
          <SettingsDialog conversation={conversation} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
