/**
 * The frame of the dialogs for servers: a title, a problem, and buttons.
 *
 * @module
 */
import type { ReactNode } from "react";
import { Button, Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import "./setup.css";

/** Props of a {@link SetupDialog}. */
export interface SetupDialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  problem?: string | undefined;
  /** The label of the button that does it; without it, there is only Close. */
  action?: string | undefined;
  onAction?: (() => void) | undefined;
  isBusy?: boolean | undefined;
}

/** A dialog over the page. */
export function SetupDialog(props: SetupDialogProps) {
  const { title, onClose, children, problem, action, onAction, isBusy = false } = props;
  return (
    <ModalOverlay className="modal-shade setup-shade" isOpen isDismissable={false} onOpenChange={onClose}>
      <Modal className="modal setup-modal">
        <Dialog className="setup-dialog">
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          <form
            className="setup-form"
            onSubmit={(event) => {
              event.preventDefault();
              if (!isBusy) onAction?.();
            }}
          >
            <div className="setup-body">{children}</div>
            {problem !== undefined && (
              <p className="problem setup-problem" role="alert">
                {problem}
              </p>
            )}
            <div className="setup-buttons">
              <Button className="button" slot="close">
                {action === undefined ? "Close" : "Cancel"}
              </Button>
              {action !== undefined && (
                <Button className="button primary" type="submit" isDisabled={isBusy}>
                  {action}
                </Button>
              )}
            </div>
          </form>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
