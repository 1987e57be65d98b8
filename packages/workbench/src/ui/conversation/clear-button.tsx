/**
 * Removes all entries of the conversation.
 *
 * @module
 */
import { Trash2 } from "lucide-react";
import { Button, Heading } from "react-aria-components";
import type { PageConversation } from "../../model/conversation/conversation.js";
import { IconButton } from "../icon-button.js";
import { PopoverButton } from "../popover-button.js";
import { useObserved } from "../use-observable.js";

const CLASS = "button quiet icon composer-clear";

/** Shown when there are entries. It asks before it removes more than one, because they do not come back. */
export function ClearButton({ conversation }: { conversation: PageConversation }) {
  const count = useObserved(conversation, ({ items }) => items.length);
  const apps = useObserved(conversation, (each) => each.apps.length);
  const clear = (): void => void conversation.clear();
  if (count === 0) return null;
  if (count < 2)
    return <IconButton icon={Trash2} name="Clear the conversation" className={CLASS} onPress={clear} />;
  return (
    <PopoverButton
      button={{
        className: CLASS,
        "aria-label": "Clear the conversation",
        children: <Trash2 />,
      }}
      className="clear-dialog"
      label="Clear the conversation?"
      role="alertdialog"
      placement="top"
    >
      {(close) => (
        <>
          <Heading slot="title" level={2}>
            Clear the conversation?
          </Heading>
          <p>
            {count === 1 ? "The entry is" : `All ${count} entries are`} removed
            {apps > 0 && `, and ${apps === 1 ? "an app is" : `${apps} apps are`} closed`}.
          </p>
          <div className="clear-buttons">
            <Button className="button" onPress={close} autoFocus>
              Keep
            </Button>
            <Button
              className="button primary"
              onPress={() => {
                close();
                clear();
              }}
            >
              Clear
            </Button>
          </div>
        </>
      )}
    </PopoverButton>
  );
}
