/**
 * The choice of how often the apps of a server ask.
 *
 * @module
 */
import type { AskLevel } from "@vitrine/guard";
import type { ApprovalList } from "../../model/approvals.js";
import { Choice, type Option } from "../choice.js";
import { useObservable } from "../use-observable.js";

const LEVELS: readonly (Option & { readonly id: AskLevel })[] = [
  {
    id: "always",
    label: "Always",
    description: "Before every tool call, link, file and message, each time.",
  },
  {
    id: "changes",
    label: "Changes only",
    description: "Before every call of a tool that is not declared read-only, each time.",
  },
  {
    id: "important",
    label: "Important only",
    description: "Destructive tools each time. For other tools, your remembered approvals count.",
  },
];

/** Props of an {@link AskLevelChoice}. */
export interface AskLevelChoiceProps {
  approvals: ApprovalList;
  server: string;
  identity: string;
}

/** The choice, with the level in force. Nothing is shown before it is known. */
export function AskLevelChoice({ approvals, server, identity }: AskLevelChoiceProps) {
  useObservable(approvals);
  const level = approvals.levelOf(server, identity);
  if (level === undefined) return null;
  return (
    <Choice
      label={`How often apps of ${server} ask`}
      options={LEVELS}
      value={level}
      isDisabled={approvals.isBusy}
      onChange={(id) => {
        const chosen = LEVELS.find((each) => each.id === id);
        if (chosen && chosen.id !== level) void approvals.setLevel(server, identity, chosen.id);
      }}
    />
  );
}
