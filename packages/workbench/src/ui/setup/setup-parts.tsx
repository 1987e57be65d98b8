/**
 * The parts of the servers pane that change the settings file: the button, what waits for the terminal, and
 * servers that do not run.
 *
 * @module
 */
import { Plus } from "lucide-react";
import { lazy, Suspense, useCallback, useState } from "react";
import { Button } from "react-aria-components";
import type { Workbench } from "../../model/workbench.js";
import { useObservable } from "../use-observable.js";
import { PendingView } from "./pending-view.js";
import { ServerMenu } from "./server-menu.js";
import "./setup.css";

const AddDialog = lazy(async () => ({ default: (await import("./add-dialog.js")).AddDialog }));

/** The button that adds a server, for users who may. */
export function AddButton({
  workbench,
  isPrimary,
}: {
  workbench: Workbench;
  isPrimary?: boolean | undefined;
}) {
  const { setup } = workbench;
  useObservable(setup);
  const [isOpen, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  if (!setup.isAvailable) return null;
  const { readOnly } = setup.state ?? {};
  return (
    <>
      <Button
        className={isPrimary ? "button primary" : "button"}
        isDisabled={readOnly !== undefined}
        onPress={() => setOpen(true)}
      >
        <Plus />
        Add a server
      </Button>
      {readOnly !== undefined && <p className="soft small">{readOnly}</p>}
      {isOpen && (
        <Suspense>
          <AddDialog workbench={workbench} onClose={close} />
        </Suspense>
      )}
    </>
  );
}

/** Changes that wait for the terminal. */
export function PendingList({ workbench: { setup } }: { workbench: Workbench }) {
  useObservable(setup);
  return setup.pending.map((pending) => <PendingView key={pending.id} setup={setup} pending={pending} />);
}

/** Servers of the file that do not run: disabled ones, and those with a problem. */
export function IdleServers({ workbench }: { workbench: Workbench }) {
  const { setup, servers } = workbench;
  useObservable(setup);
  useObservable(servers);
  const idle = setup.state?.servers.filter(({ name }) => !servers.get(name)) ?? [];
  return idle.map(({ name, disabled, problem }) => (
    <section key={name} className="server setup-idle" aria-label={name}>
      <div className="server-head">
        <h3>
          <span className="server-title">{name}</span>{" "}
          <span className={disabled || problem !== undefined ? "badge" : "badge bad"}>
            {disabled ? "disabled" : "not used"}
          </span>
        </h3>
        <ServerMenu setup={setup} name={name} />
      </div>
      {!disabled && problem !== undefined && <p className="problem small">{problem}</p>}
    </section>
  ));
}
