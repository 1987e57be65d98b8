/**
 * Browser permissions of an app, and consents.
 *
 * @module
 */
import { PERMISSION_FEATURES, type Permission } from "@vitrine/protocol";
import { useCallback, useEffect, useState } from "react";
import { Button } from "react-aria-components";
import type { AppModel } from "../../model/app/app-model.js";
import { messageOf } from "../../model/messages/messages.js";
import { useObservable } from "../use-observable.js";
import { clock } from "./format.js";
import { type Consent, readAudit, readConsents, revokeConsents, type ShownAuditRow } from "./records.js";

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
  const [consents, setConsents] = useState<readonly Consent[]>();
  const [problem, setProblem] = useState<string>();
  const load = useCallback(async () => {
    try {
      setConsents(await readConsents(server));
      setAsked(await readAudit({ server, view: app.id, method: "ui/permission" }));
      setProblem(undefined);
    } catch (error) {
      setProblem(`The stored answers could not be read: ${messageOf(error)}.`);
    }
  }, [server, app.id]);
  useEffect(() => void load(), [load]);
  const revoke = async (key: Parameters<typeof revokeConsents>[0]): Promise<void> => {
    try {
      await revokeConsents(key);
      await load();
    } catch (error) {
      setProblem(`It could not be revoked: ${messageOf(error)}.`);
    }
  };
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
        <h3>Stored answers for {server}</h3>
        {consents?.length === 0 && (
          <p className="soft">None. Answers that allow or deny something permanently are listed here.</p>
        )}
        <ul className="in-cards">
          {consents?.map(({ method, subject, actor, answer, grantedAt, expiresAt }) => (
            <li key={`${method} ${subject} ${actor}`} className="in-consent">
              <div>
                <p>
                  <span className={`badge ${answer === "allow" ? "good" : "bad"}`}>
                    {answer === "allow" ? "allowed" : "denied"}
                  </span>{" "}
                  <code>{method}</code> {subject && <code>{subject}</code>} {actor && CALLERS[actor]}
                </p>
                <p className="soft small">
                  since {clock(grantedAt)}
                  {expiresAt !== undefined && `, until ${clock(expiresAt)}`}
                </p>
              </div>
              <Button
                className="button"
                aria-label={`Revoke ${method} ${subject} ${actor ? CALLERS[actor] : ""}`.trim()}
                onPress={() => void revoke({ server, method, subject, ...(actor && { actor }) })}
              >
                Revoke
              </Button>
            </li>
          ))}
        </ul>
        {(consents?.length ?? 0) > 1 && (
          <Button className="button" onPress={() => void revoke({ server })}>
            Revoke all
          </Button>
        )}
      </section>
    </div>
  );
}
