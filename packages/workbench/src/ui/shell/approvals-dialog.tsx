/**
 * The list of everything that the user has allowed.
 *
 * @module
 */
import { type ReactNode, useEffect, useState } from "react";
import { Button, Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { ApprovalList, approvalKey, durationOf, sentenceOf } from "../../model/approvals.js";
import type { Servers } from "../../model/servers.js";
import { useObservable } from "../use-observable.js";
import { AskLevelChoice } from "./ask-level-choice.js";
import type { Screen } from "./screen.js";
import "./approvals.css";

/** The dialog. */
export default function ApprovalsDialog({
  screen,
  servers,
}: {
  screen: Screen;
  servers: Servers;
}): ReactNode {
  const [approvals] = useState(() => new ApprovalList());
  useObservable(approvals);
  useObservable(servers);
  useEffect(() => void approvals.load(), [approvals]);
  const { list, problem } = approvals;
  return (
    <ModalOverlay
      className="modal-shade page-dialog-shade"
      isOpen
      isDismissable
      onOpenChange={() => screen.show(undefined)}
    >
      <Modal className="modal page-dialog-modal">
        <Dialog className="page-dialog" aria-labelledby="approvals-title">
          <header className="page-dialog-head">
            <Heading slot="title" level={2} id="approvals-title">
              Permissions
            </Heading>
            <Button className="button quiet" slot="close">
              Close
            </Button>
          </header>
          <p className="soft">Your answers that are remembered. After you remove one, you are asked again.</p>
          {problem !== undefined && (
            <p className="problem" role="alert">
              {problem}
            </p>
          )}
          {list?.length === 0 && <p role="status">You have allowed nothing for longer than once.</p>}
          {list && list.length > 0 && (
            <ul className="approvals" aria-label="Permissions">
              {list.map((approval) => (
                <li key={approvalKey(approval)} className="approval">
                  <span className="approval-text">
                    <span>{sentenceOf(approval)}</span>
                    <span className="soft small">{durationOf(approval)}</span>
                  </span>
                  <Button
                    className="button"
                    aria-label={`Remove: ${sentenceOf(approval)}`}
                    onPress={() => void approvals.revoke(approval)}
                  >
                    Remove
                  </Button>
                </li>
              ))}
            </ul>
          )}
          {list && servers.list.length > 0 && (
            <section aria-labelledby="levels-title">
              <h3 id="levels-title">How often apps ask</h3>
              <p className="soft approval-help">
                A level can only add questions: those of the gateway's policy stay.
              </p>
              {servers.list.map(
                ({ summary: { name, identity } }) =>
                  identity !== undefined && (
                    <div key={name} className="approval">
                      <span className="approval-text">{name}</span>
                      <AskLevelChoice approvals={approvals} server={name} identity={identity} />
                    </div>
                  ),
              )}
            </section>
          )}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
