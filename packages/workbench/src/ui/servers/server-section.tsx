/**
 * A server: its state, actions and tools.
 *
 * @module
 */

import type { ServerSummary } from "@vitrine/wire";
import { ChevronRight, RotateCw } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import {
  Button,
  Disclosure,
  DisclosurePanel,
  Heading,
  Link,
  ListBox,
  ListBoxItem,
} from "react-aria-components";
import { messageOf } from "../../model/messages/messages.js";
import type { Servers, ShownServer } from "../../model/servers.js";
import type { Setup } from "../../model/setup.js";
import { IconButton } from "../icon-button.js";
import { ServerMenu } from "../setup/server-menu.js";
import { secondsUntil, useNow } from "../shell/use-now.js";
import { troubleOf } from "./server-trouble.js";
import { ToolBadges } from "./tool-badges.js";
import type { ToolFacts } from "./tool-facts.js";

/** Props of a {@link ServerSection}. */
export interface ServerSectionProps {
  servers: Servers;
  /** The settings file, for users who may change it. */
  setup: Setup;
  server: ShownServer;
  tools: readonly ToolFacts[];
  /** Whether a search is active: matches are shown even if folded. */
  isSearching: boolean;
  onChoose: (tool: string) => void;
}

/** A foldable server. */
export function ServerSection({ servers, setup, server, tools, isSearching, onChoose }: ServerSectionProps) {
  const { summary, catalogue } = server;
  const { name, info, isolation } = summary;
  const [isOpen, setOpen] = useState(true);
  const section = useRef<HTMLDivElement>(null);
  const isNew = setup.isNew(name);
  // A new server is the last of the list, out of view.
  useEffect(() => {
    if (isNew) section.current?.scrollIntoView();
  }, [isNew]);
  const facts = [info && `${info.title ?? info.name} ${info.version}`, isolation].filter(Boolean).join(" · ");
  return (
    <Disclosure
      ref={section}
      className="server"
      isExpanded={isOpen || isSearching}
      onExpandedChange={setOpen}
    >
      <div className="server-head">
        <Heading level={3}>
          <Button slot="trigger" className="server-name">
            <ChevronRight className="fold" />
            <span className="server-title">{name}</span>
            <StateBadge server={server} />
          </Button>
        </Heading>
        <ServerButton servers={servers} summary={summary} />
        {setup.isAvailable && <ServerMenu setup={setup} name={name} identity={summary.identity} />}
      </div>
      <DisclosurePanel className="server-body">
        {facts && <p className="soft small">{facts}</p>}
        <ServerTrouble server={server} />
        {tools.length > 0 ? (
          <ListBox
            className="tools"
            aria-label={`Tools of ${name}`}
            items={tools.map((each) => ({ id: each.tool.name, each }))}
            dependencies={[tools]}
            onAction={(key) => onChoose(`${key}`)}
          >
            {({ id, each }) => (
              <ListBoxItem id={id} className="tool" textValue={each.title}>
                <span className="tool-line">
                  <span className="tool-title">{each.title}</span> <ToolBadges facts={each} />
                </span>
                {each.tool.description && (
                  <span className="soft small tool-description">{each.tool.description}</span>
                )}
                {each.uiProblem !== undefined && <span className="small bad-text">{each.uiProblem}</span>}
              </ListBoxItem>
            )}
          </ListBox>
        ) : (
          <p className="soft small">{catalogue ? "It offers no tools." : waitingText(server)}</p>
        )}
      </DisclosurePanel>
    </Disclosure>
  );
}

const waitingText = (server: ShownServer): string =>
  /^(idle|starting|ready)$/.test(server.summary.state) && troubleOf(server).length === 0
    ? "Loading its tools…"
    : "Its tools are listed when it runs.";

const STATES: Record<ServerSummary["state"], [kind: string, text: string]> = {
  idle: ["", "not started"],
  starting: ["", "starting…"],
  ready: ["good", "ready"],
  waiting: ["warn", "waiting"],
  unauthorized: ["warn", "sign in"],
  stopped: ["bad", "stopped"],
};

function StateBadge({ server }: { server: ShownServer }) {
  const { state, retryAt } = server.summary;
  const now = useNow(retryAt !== undefined && state === "waiting");
  const [kind, text] = STATES[state];
  const seconds = retryAt === undefined ? 0 : secondsUntil(retryAt, now);
  return (
    // Its trouble is below, in red.
    <span className={`badge ${kind === "bad" && troubleOf(server).length > 0 ? "" : kind}`}>
      {state === "waiting" && seconds > 0 ? `again in ${seconds} s` : text}
    </span>
  );
}

/** The user's action: sign in, start, or restart. */
function ServerButton({
  servers,
  summary: { name, state, authorizeUrl },
}: {
  servers: Servers;
  summary: ServerSummary;
}) {
  const [failed, setFailed] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const act = async (how: "start" | "restart"): Promise<void> => {
    setBusy(true);
    try {
      await servers[how](name);
      setFailed(undefined);
    } catch (error) {
      setFailed(messageOf(error));
    }
    setBusy(false);
  };
  const isDown = state === "waiting" || state === "stopped" || state === "unauthorized";
  return (
    <>
      {state === "unauthorized" && authorizeUrl !== undefined && /^https?:/.test(authorizeUrl) && (
        <Link className="button" href={authorizeUrl} target="_blank" rel="noopener noreferrer">
          Sign in
        </Link>
      )}
      {isDown ? (
        <Button
          className="button quiet"
          isDisabled={isBusy}
          aria-label={`Reconnect ${name}`}
          onPress={() => void act("start")}
        >
          Reconnect
        </Button>
      ) : (
        <IconButton
          icon={RotateCw}
          name={`Restart ${name}`}
          tip="Restart"
          isDisabled={isBusy || state === "starting"}
          onPress={() => void act("restart")}
        />
      )}
      {failed !== undefined && (
        <p className="problem small server-failed" role="alert">
          {failed}
        </p>
      )}
    </>
  );
}

/** The server's problem, with its own output. */
function ServerTrouble({ server }: { server: ShownServer }) {
  const { summary } = server;
  const said = summary.problem ?? summary.crash;
  const trouble = troubleOf(server);
  if (trouble.length === 0) return null;
  return (
    <div className="problem small">
      {trouble.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {said?.stderr && (
        <Disclosure className="stderr">
          <Button slot="trigger" className="fold-button">
            <ChevronRight className="fold" />
            Its stderr output
          </Button>
          <DisclosurePanel>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
            <section tabIndex={0} aria-label={`stderr of ${summary.name}`} className="stderr-text">
              <pre>{said.stderr}</pre>
            </section>
          </DisclosurePanel>
        </Disclosure>
      )}
    </div>
  );
}
