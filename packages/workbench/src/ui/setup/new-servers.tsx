/**
 * The servers that were added since the page was opened: whether they run, and how to use them.
 *
 * @module
 */
import type { ShownServer } from "../../model/servers.js";
import { troubleOf } from "../servers/server-trouble.js";
import { toolFacts } from "../servers/tool-facts.js";

/** Titles of tools that are named. */
const NAMED = 3;

/** Props of {@link NewServers}. */
export interface NewServersProps {
  servers: readonly ShownServer[];
  /** Whether a model answers. */
  hasModel: boolean;
}

/** A line for each server, on the start screen, where the list of servers is closed. */
export function NewServers({ servers, hasModel }: NewServersProps) {
  return (
    <div className="start-servers" role="status">
      {servers.map((server) => {
        const [problem] = troubleOf(server);
        return (
          <p key={server.summary.name} className={problem === undefined ? undefined : "problem"}>
            {problem === undefined ? stateText(server, hasModel) : `${problem}. Details are under Tools.`}
          </p>
        );
      })}
    </div>
  );
}

function stateText({ summary: { name, state }, catalogue }: ShownServer, hasModel: boolean): string {
  if (state === "unauthorized") return `${name} asks you to sign in: open Tools and press Sign in.`;
  if (!catalogue) return `${name} is starting…`;
  const titles = toolFacts(catalogue).flatMap(({ title, isCallable }) => (isCallable ? [title] : []));
  if (titles.length === 0) return `${name} is ready. It offers no tools.`;
  const more = titles.length > NAMED ? ` and ${titles.length - NAMED} more` : "";
  const way = hasModel ? "Write below what you want" : "Type / below to call one";
  return `${name} is ready: ${titles.slice(0, NAMED).join(", ")}${more}. ${way}.`;
}
