/**
 * A tool: its description, and the form to call it.
 *
 * @module
 */
import { ArrowLeft } from "lucide-react";
import { useEffect, useRef } from "react";
import { Button } from "react-aria-components";
import type { Workbench } from "../../model/workbench.js";
import "../form/form.css";
import { ToolForm } from "../form/tool-form.js";
import { Boundary } from "../shell/boundary.js";
import type { ChosenTool } from "./servers-pane.js";
import { ToolBadges } from "./tool-badges.js";
import type { ToolFacts } from "./tool-facts.js";

/** Props of a {@link ToolPage}. */
export interface ToolPageProps {
  workbench: Workbench;
  chosen: ChosenTool;
  /** Undefined while its server has not answered, or if the tool was removed. */
  facts: ToolFacts | undefined;
  onBack: () => void;
  onRun: () => void;
}

/** A tool, in place of the list. */
export function ToolPage({ workbench, chosen: { server, tool }, facts, onBack, onRun }: ToolPageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Moves the focus for screen reader users, because the list is gone.
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className="tool-page" aria-labelledby="tool-title">
      <Button className="button quiet back" onPress={onBack}>
        <ArrowLeft />
        All tools
      </Button>
      <h2 id="tool-title" ref={heading} tabIndex={-1}>
        {facts?.title ?? tool}
      </h2>
      <p className="soft small tool-line">
        <span className="mono">
          {server} · {tool}
        </span>
        {facts && <ToolBadges facts={facts} />}
      </p>
      {facts?.tool.description && <p className="description">{facts.tool.description}</p>}
      {facts?.uiProblem !== undefined && (
        <p className="problem small">
          Its app cannot be shown: {facts.uiProblem} The result is shown as text.
        </p>
      )}
      {!facts && <p className="problem small">The server does not offer this tool now.</p>}
      {facts && !facts.isCallable && (
        <p className="problem small">
          Only apps of this server may call this tool: its visibility excludes the model, and with it the
          user.
        </p>
      )}
      {facts?.isCallable && (
        <Boundary name="The form of this tool">
          <ToolForm
            server={workbench.servers.keyOf(server)}
            tool={facts.tool}
            onRun={(input) => {
              workbench.conversation.call(server, tool, input, facts.hasUi);
              onRun();
            }}
          />
        </Boundary>
      )}
    </section>
  );
}
