/**
 * Facts about a server: version, capabilities, instructions, roots, and what has changed in its lists.
 *
 * @module
 */
import type { ServerRoots } from "@vitrine/wire";
import { useEffect, useState } from "react";
import { Button, Input, Label, TextField } from "react-aria-components";
import { ApprovalList } from "../../model/approvals.js";
import { messageOf } from "../../model/messages/messages.js";
import { duration } from "../inspector/format.js";
import { Json } from "../inspector/json.js";
import { TextBlock } from "../inspector/text-block.js";
import { AskLevelChoice } from "../shell/ask-level-choice.js";
import { useObservable } from "../use-observable.js";
import { CatalogueChanges } from "./catalogue-changes.js";
import { DeclaredList } from "./declared-list.js";
import { ServerIcon } from "./server-icon.js";
import type { ServerTabProps } from "./server-inspector.js";

/** The first revision whose servers keep no session. */
const SECOND_GENERATION = "2026-07-28";

/** Facts, a ping, roots and changes. */
export function OverviewTab(props: ServerTabProps) {
  const { shown, inspected } = props;
  const { info, protocolVersion, capabilities, instructions, isolation, identity } = shown.summary;
  return (
    <div className="in-scroll">
      <section className="in-section" aria-label="About the server">
        <h3 className="si-title">
          <ServerIcon inspected={inspected} icons={info?.icons} />
          {info ? `${info.title ?? info.name} ${info.version}` : shown.summary.name}
        </h3>
        {info?.description && <p>{info.description}</p>}
        <dl className="si-facts">
          <Fact name="Protocol">
            {protocolVersion
              ? `${protocolVersion}, ${protocolVersion >= SECOND_GENERATION ? "without sessions" : "with sessions"}`
              : "not negotiated yet"}
          </Fact>
          {info && <Fact name="Name">{info.name}</Fact>}
          {info?.websiteUrl && <Fact name="Website">{info.websiteUrl}</Fact>}
          {isolation && <Fact name="Isolation">{isolation}</Fact>}
          {identity && <Fact name="Identity">{`${identity.slice(0, 16)}…`}</Fact>}
        </dl>
        <Ping {...props} />
      </section>
      {identity && <Level server={shown.summary.name} identity={identity} />}
      <section className="in-section" aria-label="Capabilities">
        <h3>Capabilities</h3>
        {Object.keys(capabilities).length > 0 ? (
          <Json value={capabilities} label="Capabilities" depth={2} />
        ) : (
          <p className="soft">It declares none, or has not been started.</p>
        )}
      </section>
      <section className="in-section" aria-label="Instructions">
        <h3>Instructions</h3>
        {instructions ? (
          <TextBlock text={instructions} label="Instructions of the server" />
        ) : (
          <p className="soft">It gives none.</p>
        )}
      </section>
      <DeclaredList {...props} />
      <Roots {...props} />
      <CatalogueChanges {...props} />
    </div>
  );
}

const Fact = ({ name, children }: { name: string; children: string }) => (
  <div>
    <dt className="soft small">{name}</dt>
    <dd className="mono">{children}</dd>
  </div>
);

/** How often its apps ask. */
function Level({ server, identity }: { server: string; identity: string }) {
  const [approvals] = useState(() => new ApprovalList());
  useObservable(approvals);
  useEffect(() => void approvals.load(), [approvals]);
  return (
    <section className="in-section" aria-label="Questions of its apps">
      <h3>How often its apps ask</h3>
      {approvals.problem !== undefined && (
        <p className="problem" role="alert">
          {approvals.problem}
        </p>
      )}
      <AskLevelChoice approvals={approvals} server={server} identity={identity} />
    </section>
  );
}

function Ping({ inspected }: ServerTabProps) {
  const [times, setTimes] = useState<readonly number[]>([]);
  const [problem, setProblem] = useState<string>();
  const ping = async (): Promise<void> => {
    setProblem(undefined);
    try {
      const time = await inspected.ping();
      setTimes((before) => [...before, time].slice(-5));
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <div className="si-row">
      <Button className="button" onPress={() => void ping()}>
        Ping
      </Button>
      <span role="status" className={problem === undefined ? "soft" : "bad-text"}>
        {problem ?? (times.length > 0 ? `Answered after ${times.map(duration).join(", ")}` : "")}
      </span>
    </div>
  );
}

function Roots({ inspected, workbench, shown }: ServerTabProps) {
  const [roots, setRoots] = useState<ServerRoots>();
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const act = async (work: Promise<ServerRoots>): Promise<void> => {
    try {
      const next = await work;
      setRoots((before) => ({ ...next, needsRestart: next.needsRestart || (before?.needsRestart ?? false) }));
      setText("");
      setProblem(undefined);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once per server.
  useEffect(() => void act(inspected.roots()), [inspected]);
  const own = roots?.from === "page" ? roots.roots : [];
  const restart = async (): Promise<void> => {
    await workbench.servers
      .restart(shown.summary.name)
      .catch((error: unknown) => setProblem(messageOf(error)));
    setRoots(await inspected.roots());
  };
  return (
    <section className="in-section" aria-label="Roots">
      <h3>Roots</h3>
      <p className="soft small">
        Folders and addresses that the server is told it may work in. Without any, it is told that there are
        none.
        {roots?.from === "settings" && " These are from the settings; roots that you add here replace them."}
      </p>
      {roots && roots.roots.length > 0 && (
        <ul className="si-list">
          {roots.roots.map(({ uri, name }) => (
            <li key={uri} className="si-row">
              <span className="mono si-grow">{name ? `${name}: ${uri}` : uri}</span>
              {roots.from === "page" && (
                <Button
                  className="button quiet"
                  aria-label={`Remove ${uri}`}
                  onPress={() => void act(inspected.roots(own.filter((root) => root.uri !== uri)))}
                >
                  Remove
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      <div className="si-row">
        <TextField className="in-field si-grow" value={text} onChange={setText}>
          <Label className="soft small">New root</Label>
          <Input className="input" placeholder="file:///home/ann/project" />
        </TextField>
        <Button
          className="button"
          isDisabled={text.trim() === ""}
          onPress={() => void act(inspected.roots([...own, { uri: text.trim() }]))}
        >
          Add root
        </Button>
      </div>
      {problem !== undefined && (
        <p className="problem small" role="alert">
          {problem}
        </p>
      )}
      {roots?.needsRestart && (
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
