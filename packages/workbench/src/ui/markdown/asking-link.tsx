/**
 * A link that asks before it opens: its text comes from a model, a server or an app.
 *
 * @module
 */
import { type ReactNode, useRef, useState } from "react";
import { Button, Dialog, Heading, Link, Modal, ModalOverlay } from "react-aria-components";
import { type LinkTarget, linkTarget, looksLikeOther } from "../../model/markdown/link-target.js";
import { visibleText } from "../../model/markdown/visible-text.js";
import { AgreeButton, GuardedQuestion } from "../questions/agree-button.js";
import "../questions/questions.css";

/** Props of an {@link AskingLink}. */
export interface AskingLinkProps {
  address: string;
  /** Whether the address is that of a picture. It is not loaded: a request can carry data to its server. */
  isPicture?: boolean | undefined;
  children: ReactNode;
}

/** A link without an address of its own, so that no key, drag or second mouse button opens it. */
export function AskingLink({ address, isPicture = false, children }: AskingLinkProps) {
  const box = useRef<HTMLSpanElement>(null);
  /** The text of the link when it was pressed. */
  const [asked, setAsked] = useState<string>();
  const target = linkTarget(address);
  if (!target)
    return (
      <span>
        {children}
        {isPicture && " (a picture that is not loaded)"}
      </span>
    );
  return (
    <>
      <Link className="asking-link" onPress={() => setAsked(box.current?.textContent ?? "")}>
        <bdi ref={box}>{children}</bdi>
      </Link>
      {isPicture && <span className="soft small"> (picture of {target.host}, not loaded)</span>}
      {asked !== undefined && (
        <LinkQuestion target={target} text={asked} onDone={() => setAsked(undefined)} />
      )}
    </>
  );
}

interface LinkQuestionProps {
  target: LinkTarget;
  text: string;
  onDone: () => void;
}

function LinkQuestion({ target, text, onDone }: LinkQuestionProps) {
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
