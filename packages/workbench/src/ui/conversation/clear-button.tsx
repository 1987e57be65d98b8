/**
 * Takes everything out of the conversation.
 *
 * @module
 */
import { Button, Dialog, DialogTrigger, Heading, Popover } from "react-aria-components";
import type { Conversation } from "../../model/conversation.js";

/** A button that asks before it takes more than one entry away: they do not come back. */
export function ClearButton({ conversation }: { conversation: Conversation }) {
  const count = conversation.items.length;
  const apps = conversation.apps.length;
  const clear = (): void => void conversation.clear();
  if (count < 2)
    return (
      <Button className="button quiet" onPress={clear}>
        Clear the conversation
      </Button>
    );
  return (
    <DialogTrigger>
      <Button className="button quiet">Clear the conversation</Button>
      <Popover className="popover" placement="top">
        <Dialog className="clear-dialog" role="alertdialog">
          {({ close }) => (
            <>
              <Heading slot="title" level={2}>
                Clear the conversation?
              </Heading>
              <p>
                All {count} entries go
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
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
