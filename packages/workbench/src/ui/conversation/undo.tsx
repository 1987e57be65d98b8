/**
 * Takes back deletions.
 *
 * @module
 */
import { Button } from "react-aria-components";
import type { PageConversation } from "../../model/conversation/conversation.js";
import { useObserved } from "../use-observable.js";

/** Shown for some seconds after a deletion. */
export function Undo({ conversation }: { conversation: PageConversation }) {
  const count = useObserved(conversation, ({ deleting }) => deleting.length);
  return (
    // Present before it has content, or screen readers would miss it.
    <div role="status" className="undo">
      {count > 0 && (
        <>
          <span className="small">{count === 1 ? "The entry is" : `${count} entries are`} deleted.</span>
          <Button className="button" onPress={() => conversation.undelete()}>
            Undo
          </Button>
        </>
      )}
    </div>
  );
}
