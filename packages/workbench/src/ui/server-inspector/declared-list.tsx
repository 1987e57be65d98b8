/**
 * The capabilities that are declared to a server, each to be left out.
 *
 * @module
 */
import type { ClientCapability, DeclaredCapabilities } from "@vitrine/wire";
import { useEffect, useState } from "react";
import { Button } from "react-aria-components";
import { messageOf } from "../../model/messages/messages.js";
import type { ServerTabProps } from "./server-inspector.js";

/** Each capability with its name, and why it may be missing. */
const CAPABILITIES: Record<ClientCapability, { name: string; needs: string }> = {
  sampling: { name: "Sampling", needs: "needs a model" },
  "elicitation.form": { name: "Elicitation by form", needs: "denied by the operator, or shared server" },
  "elicitation.url": { name: "Elicitation by address", needs: "denied by the operator, or shared server" },
  roots: { name: "Roots", needs: "needs a root" },
  ui: { name: "MCP Apps (io.modelcontextprotocol/ui)", needs: "" },
};

const NAMES = Object.keys(CAPABILITIES) as ClientCapability[];

/** The list. */
export function DeclaredList({ inspected, workbench, shown }: ServerTabProps) {
  const [declared, setDeclared] = useState<DeclaredCapabilities>();
  const [problem, setProblem] = useState<string>();
  const act = async (hidden?: ClientCapability[]): Promise<void> => {
    // A checkbox shows at once that it was pressed.
    if (hidden) setDeclared((before) => before && { ...before, hidden });
    try {
      const next = await inspected.capabilities(hidden);
      setDeclared((before) => ({
        ...next,
        needsRestart: next.needsRestart || (before?.needsRestart ?? false),
      }));
      setProblem(undefined);
    } catch (error) {
      setProblem(messageOf(error));
      if (hidden) void inspected.capabilities().then(setDeclared, () => {});
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once per server.
  useEffect(() => void act(), [inspected]);
  const restart = async (): Promise<void> => {
    try {
      await workbench.servers.restart(shown.summary.name);
      setDeclared(await inspected.capabilities());
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const hidden = declared?.hidden ?? [];
  return (
    <section className="in-section" aria-label="Capabilities of the client">
      <h3>Capabilities of the client</h3>
      <p className="soft small">
        Declared to the server. Leave one out to see how the server works without it: its requests that need
        it are refused.
      </p>
      <ul className="si-list">
        {NAMES.map((name) => {
          const isMissing = declared?.available.includes(name) === false;
          return (
            <li key={name} className="si-row">
              <label>
                <input
                  type="checkbox"
                  checked={!hidden.includes(name)}
                  disabled={!declared}
                  onChange={({ target }) =>
                    void act(target.checked ? hidden.filter((each) => each !== name) : [...hidden, name])
                  }
                />{" "}
                {CAPABILITIES[name].name}
              </label>
              {isMissing && <span className="soft small">not declared now: {CAPABILITIES[name].needs}</span>}
            </li>
          );
        })}
      </ul>
      {problem !== undefined && (
        <p className="problem small" role="alert">
          {problem}
        </p>
      )}
      {declared?.needsRestart && (
        <p className="si-row" role="status">
          <span className="si-grow">The server learns of this after a restart.</span>
          <Button className="button" onPress={() => void restart()}>
            Restart now
          </Button>
        </p>
      )}
    </section>
  );
}
