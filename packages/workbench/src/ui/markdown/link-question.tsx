/**
 * The question before a link opens.
 *
 * @module
 */
import { useState } from "react";
import { Button, Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { type LinkTarget, looksLikeOther } from "../../model/markdown/link-target.js";
import { visibleText } from "../../model/markdown/visible-text.js";
import { AgreeButton, GuardedQuestion } from "../questions/agree-button.js";
import "../questions/questions.css";

/** Props of a {@link LinkQuestion}. */
export interface LinkQuestionProps {
  target: LinkTarget;
  text: string;
  onDone: () => void;
}

/** The question whether to open a link, with where it leads. */
export function LinkQuestion({ target, text, onDone }: LinkQuestionProps) {
  const [box, setBox] = useState<Element | null>(null);
  const { href, host } = target;
  const isMail = href.startsWith("mailto:");
  const open = (): void => {
    window.open(href, "_blank", "noopener,noreferrer");
    onDone();
  };
  return (
    <ModalOverlay
      className="modal-shade question-shade"
      isOpen
      onOpenChange={(isOpen) => !isOpen && onDone()}
    >
      <Modal className="modal question-modal">
        <Dialog ref={setBox} className="question" role="alertdialog">
          <GuardedQuestion box={box}>
            <Heading slot="title" level={2}>
              {isMail ? "Write to this address?" : "Open this page?"}
            </Heading>
            <p>
              {isMail ? "The link starts a message to " : "The link opens a new tab at "}
              <strong>{visibleText(host)}</strong>. The conversation contains the link; you did not write it.
            </p>
            {looksLikeOther(text, target) && (
              <p className="problem">
                The link says “{text.slice(0, 200)}”, but leads to {host}.
              </p>
            )}
            <p className="mono question-address">{href}</p>
            <div className="question-buttons">
              <Button className="button" onPress={onDone}>
                Do not open
              </Button>
              <AgreeButton onAgree={open}>{isMail ? "Write" : `Open ${host}`}</AgreeButton>
            </div>
          </GuardedQuestion>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
