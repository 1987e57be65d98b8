/**
 * A change that waits for the terminal.
 *
 * @module
 */
import type { PendingServer } from "@vitrine/wire";
import { useState } from "react";
import { Button } from "react-aria-components";
import type { Setup } from "../../model/setup.js";

const TITLES: Record<PendingServer["state"], (name: string) => string> = {
  asking: (name) => `Answer in the terminal: ${name}`,
  unasked: (name) => `Run this in a terminal: ${name}`,
  declined: (name) => `Declined in the terminal: ${name}`,
  failed: (name) => `Not changed: ${name}`,
};

/** Shows the change, and what the user does about it. */
export function PendingView({ setup, pending }: { setup: Setup; pending: PendingServer }) {
  const { id, name, lines, state, command, problem } = pending;
  const [isCopied, setCopied] = useState(false);
  const copy = async (text: string): Promise<void> => {
    await navigator.clipboard.writeText(text).catch(() => {});
    setCopied(true);
  };
  return (
    <section className={`setup-pending ${state}`} role="status" aria-label={`Waiting: ${name}`}>
      <h3>{TITLES[state](name)}</h3>
      {state === "asking" && (
        <p className="small">
          The terminal that runs Vitrine shows this and asks <kbd>y/N</kbd>. Type <kbd>y</kbd> and Enter
          there.
        </p>
      )}
      <pre className="mono small">{lines.join("\n")}</pre>
      {problem !== undefined && <p className="problem small">{problem}</p>}
      {command !== undefined && state !== "declined" && (
        <>
          <p className="small">{state === "asking" ? "Or run this in another terminal:" : "Run this:"}</p>
          <div className="setup-command">
            <code className="mono small">{command}</code>
            <Button className="button" onPress={() => void copy(command)}>
              {isCopied ? "Copied" : "Copy"}
            </Button>
          </div>
        </>
      )}
      {command === undefined && state === "unasked" && (
        <p className="small">
          It cannot be written as one command line: add it to <code>{setup.state?.file}</code> with an editor.
        </p>
      )}
      <div>
        <Button className="button quiet" onPress={() => void setup.send("gateway/dismiss-server", { id })}>
          {state === "asking" || state === "unasked" ? "Withdraw" : "Dismiss"}
        </Button>
      </div>
    </section>
  );
}
