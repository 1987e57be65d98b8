/**
 * Questions of servers and apps to the user or the model, one at a time.
 *
 * @module
 */
import { type ReactNode, useLayoutEffect, useState } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import type { Workbench } from "../../model/workbench.js";
import { Boundary } from "../shell/boundary.js";
import { useObservable } from "../use-observable.js";
import { GuardedQuestion } from "./agree-button.js";
import "./questions.css";
import { part } from "../part.js";
import { SamplingForm } from "./sampling-form.js";
import { Visits } from "./visits.js";

/** Loaded with its form, which is large. */
const ElicitationForm = part(
  "The form",
  async () => (await import("./elicitation-form.js")).ElicitationForm,
  <p className="soft">Loading…</p>,
);

/** The current question over the page, and the state of visited pages. */
export function QuestionDialogs({ workbench }: { workbench: Workbench }) {
  return (
    <>
      <Visits questions={workbench.questions} />
      <CurrentQuestion workbench={workbench} />
    </>
  );
}

/** Shown while there is a question. It closes when answered or withdrawn. */
function CurrentQuestion({ workbench }: { workbench: Workbench }) {
  const { questions } = workbench;
  useObservable(questions);
  const { sampling, elicitations } = questions;
  const asked = sampling[0] ?? elicitations[0];
  const id = asked?.question.id;
  // Before the dialog takes the focus: content below a fullscreen app cannot have it.
  useLayoutEffect(() => {
    if (id !== undefined) leaveFullScreen(workbench);
  }, [workbench, id]);
  const more = sampling.length + elicitations.length - 1;
  if (!asked) return null;
  return (
    <QuestionModal key={id} more={more}>
      {sampling[0] ? (
        <SamplingForm asked={sampling[0]} />
      ) : (
        elicitations[0] && (
          <>
            {/* A dialog takes its name from the title that it has when it opens: the title does not wait for the form. */}
            <Heading slot="title" level={2}>
              The server {elicitations[0].question.server} asks
            </Heading>
            <ElicitationForm asked={elicitations[0]} />
          </>
        )
      )}
    </QuestionModal>
  );
}

/** Escape does not answer: keys typed while the question appeared were not meant for it. */
function QuestionModal({ more, children }: { more: number; children: ReactNode }) {
  const [box, setBox] = useState<Element | null>(null);
  return (
    <ModalOverlay className="modal-shade question-shade" isOpen isKeyboardDismissDisabled>
      <Modal className="modal question-modal">
        <Dialog ref={setBox} className="question" role="alertdialog">
          <Boundary name="The question">
            <GuardedQuestion box={box}>{children}</GuardedQuestion>
          </Boundary>
          {more > 0 && (
            <p className="soft small" role="status">
              {more === 1 ? "Another question waits." : `${more} more questions wait.`}
            </p>
          )}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** A fullscreen app would cover every dialog, so it leaves fullscreen. */
function leaveFullScreen({ conversation }: Workbench): void {
  for (const { element } of conversation.apps) {
    if (element.shadowRoot?.querySelector("dialog:modal")) element.frame?.setDisplayMode("inline");
  }
}
