/**
 * The parts of the servers pane about the settings file: what waits for the terminal, and servers that do not
 * run.
 *
 * @module
 */
import type { Workbench } from "../../model/workbench.js";
import { useObservable } from "../use-observable.js";
import { PendingView } from "./pending-view.js";
import { ServerMenu } from "./server-menu.js";
import "./setup.css";

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
