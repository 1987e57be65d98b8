/**
 * The list of keys.
 *
 * @module
 */
import { Button, Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import type { Screen } from "./screen.js";
import { keysOf, type Shortcut } from "./shortcuts.js";
import "./shortcuts.css";

/** Keys of parts of the page. */
const ELSEWHERE: readonly { name: string; keys: string }[] = [
  { name: "Send the message", keys: "Enter" },
  { name: "New line in the message", keys: keysOf({ key: "Enter", isShifted: true }) },
  { name: "List the tools in the message field", keys: "/" },
  { name: "Run the open tool", keys: keysOf({ key: "Enter", isCommand: true }) },
  { name: "Leave full screen, close a dialog or menu", keys: "Esc" },
];

/** The dialog. */
export function ShortcutsDialog({ screen, shortcuts }: { screen: Screen; shortcuts: readonly Shortcut[] }) {
  const rows = [...shortcuts.map((each) => ({ name: each.name, keys: keysOf(each) })), ...ELSEWHERE];
  return (
    <ModalOverlay
      className="modal-shade page-dialog-shade"
      isOpen
      isDismissable
      onOpenChange={() => screen.show(undefined)}
    >
      <Modal className="modal page-dialog-modal">
        <Dialog className="page-dialog" aria-labelledby="shortcuts-title">
          <header className="page-dialog-head">
            <Heading slot="title" level={2} id="shortcuts-title">
              Keyboard shortcuts
            </Heading>
            <Button className="button quiet" slot="close">
              Close
            </Button>
          </header>
          <dl className="shortcuts-list">
            {rows.map(({ name, keys }) => (
              <div key={name} className="shortcuts-row">
                <dt>{name}</dt>
                <dd>
                  <kbd className="keys">{keys}</kbd>
                </dd>
              </div>
            ))}
          </dl>
          <p className="soft small">
            An app that has the focus gets the keys. Press Tab, or click beside it, to leave it.
          </p>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
