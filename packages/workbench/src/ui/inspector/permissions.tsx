/**
 * Browser permissions of an app, and consents.
 *
 * @module
 */
import { PERMISSION_FEATURES, type Permission } from "@vitrine/protocol";
import { useEffect, useState } from "react";
import { Button } from "react-aria-components";
import type { AppModel } from "../../model/app/app-model.js";
import { type Approval, ApprovalList, approvalKey, durationOf } from "../../model/approvals.js";
import { messageOf } from "../../model/messages/messages.js";
import { useObservable } from "../use-observable.js";
import { readAudit, type ShownAuditRow } from "./records.js";

const NAMES: Readonly<Record<Permission, string>> = {
  camera: "Camera",
  microphone: "Microphone",
  geolocation: "Location",
  clipboardWrite: "Writing to the clipboard",
};
const CALLERS = { app: "by apps", model: "by the model" };
const PERMISSIONS = Object.keys(PERMISSION_FEATURES) as Permission[];

/** Requested and granted permissions, and the stored consents. */
export function PermissionsTab({ app }: { app: AppModel }) {
  useObservable(app);
  const { server, place } = app.source;
  const [asked, setAsked] = useState<readonly ShownAuditRow[]>([]);
  const [unread, setUnread] = useState<string>();
  const [approvals] = useState(() => new ApprovalList());
  useObservable(approvals);
  useEffect(() => {
    void approvals.load();
    readAudit({ server, view: app.id, method: "ui/permission" }).then(setAsked, (error: unknown) =>
      setUnread(`The requests of the app could not be read: ${messageOf(error)}.`),
    );
  }, [approvals, server, app.id]);
  const consents = approvals.list?.filter((each) => each.server === server);
  const problem = approvals.problem ?? unread;
  return (
    <div className="in-scroll">
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <section className="in-section">
        <h3>Browser features</h3>
        <dl className="in-pairs">
          {PERMISSIONS.map((permission) => (
            <div key={permission}>
              <dt>{NAMES[permission]}</dt>
              <dd>
                {place && permission in place.permissions ? (
                  <span className="badge good">granted</span>
                ) : asked.some(({ target }) => target === permission) ? (
                  <span className="badge bad">requested, but refused</span>
                ) : (
                  <span className="soft">not requested</span>
                )}
              </dd>
            </div>
          ))}
        </dl>
      </section>
      <section className="in-section">
        <h3>Remembered answers for {server}</h3>
        {consents?.length === 0 && (
          <p className="soft">
            None. Answers that allow or deny something for longer than once are listed here.
          </p>
        )}
        <ul className="in-cards">
          {consents?.map((approval) => (
            <li key={approvalKey(approval)} className="in-consent">
              <div>
                <p>
                  <AnswerBadge answer={approval.answer} /> <code>{approval.method}</code>{" "}
                  {approval.subject && <code>{approval.subject}</code>}{" "}
                  {approval.actor && CALLERS[approval.actor]}
                </p>
                <p className="soft small">{durationOf(approval)}</p>
              </div>
              <Button
                className="button"
                aria-label={`Revoke ${approval.method} ${approval.subject} ${approval.actor ? CALLERS[approval.actor] : ""}`.trim()}
                onPress={() => void approvals.revoke(approval)}
              >
                Revoke
              </Button>
            </li>
          ))}
        </ul>
        {(consents?.length ?? 0) > 1 && (
          <Button className="button" onPress={() => void approvals.revokeAll(server)}>
            Revoke all
          </Button>
        )}
      </section>
    </div>
  );
}

function AnswerBadge({ answer }: Pick<Approval, "answer">) {
  if (answer === "allow") return <span className="badge good">allowed</span>;
  if (answer === "deny") return <span className="badge bad">denied</span>;
  return <span className="badge">{answer === "ask-always" ? "asks always" : "asks before changes"}</span>;
}
