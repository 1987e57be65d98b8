/**
 * The inspector of a server: what it is, what it offers, and everything that passes between it and the gateway.
 *
 * @module
 */
import { type ReactNode, useEffect, useState } from "react";
import { Tab, TabPanel, Tabs } from "react-aria-components";
import type { InspectedServer } from "../../model/server/inspected-server.js";
import { listsFolders, SKILLS_EXTENSION } from "../../model/server/skills.js";
import type { ShownServer } from "../../model/servers.js";
import type { Workbench } from "../../model/workbench.js";
import { Choice } from "../choice.js";
import { count } from "../inspector/format.js";
import { TabRow } from "../inspector/tab-row.js";
import { Boundary } from "../shell/boundary.js";
import { useObservable, useObserved } from "../use-observable.js";
import { inspectedServer } from "./inspected-servers.js";
import { LogTab } from "./log.js";
import { OverviewTab } from "./overview.js";
import { PromptsTab } from "./prompts.js";
import { RequestsTab } from "./requests.js";
import { ResourcesTab } from "./resources.js";
import "./server-inspector.css";
import { part } from "../part.js";
import { ServerMessagesTab } from "./server-messages.js";
import { hasModernTasks, TasksTab } from "./tasks.js";
import { ToolsTab } from "./tools.js";

/** Loaded when a user first looks at a sign-in. */
const SignInPanel = part(
  "The sign-in panel",
  async () => (await import("./sign-in.js")).SignInPanel,
  <p className="in-none soft">Loading…</p>,
);

/** Loaded when a user first looks at skills: it parses YAML. */
const SkillsTab = part(
  "The list of skills",
  async () => (await import("./skills.js")).SkillsTab,
  <p className="in-none soft">Loading…</p>,
);

const HttpTab = part(
  "The list of requests",
  async () => (await import("./http.js")).HttpTab,
  <p className="in-none soft">Loading…</p>,
);

/** The inspector of the chosen server, or of the first. */
export function ServerInspector({ workbench }: { workbench: Workbench }) {
  const { servers } = workbench;
  useObservable(servers);
  const [chosen, setChosen] = useState<string>();
  // Shared by all servers, so that the tab stays when another server is chosen.
  const [tab, setTab] = useState("overview");
  const known = servers.list;
  const shown = known.find(({ summary }) => summary.name === chosen) ?? known[0];
  if (!shown)
    return (
      <div className="empty">
        <h2>No servers</h2>
        <p>A server is inspected here as soon as there is one.</p>
      </div>
    );
  const { name, state } = shown.summary;
  const inspected = inspectedServer(workbench, name);
  return (
    <div className="inspector">
      <div className="in-head">
        <Choice
          label="The server to inspect"
          options={known.map(({ summary }) => ({ id: summary.name, label: summary.name }))}
          value={name}
          onChange={setChosen}
        />
        <span className={`badge ${state === "ready" ? "good" : state === "idle" ? "" : "warn"}`}>
          {state}
        </span>
      </div>
      <ServerTabs
        key={servers.keyOf(name)}
        workbench={workbench}
        shown={shown}
        inspected={inspected}
        selected={tab}
        onSelect={setTab}
      />
    </div>
  );
}

/** Props of each tab. */
export interface ServerTabProps {
  workbench: Workbench;
  shown: ShownServer;
  inspected: InspectedServer;
}

interface ServerTabsProps extends ServerTabProps {
  selected: string;
  onSelect: (tab: string) => void;
}

function ServerTabs({ selected, onSelect, ...props }: ServerTabsProps) {
  const { workbench, shown, inspected } = props;
  useEffect(() => inspected.watch(), [inspected]);
  // A new session of this page follows nothing.
  const connection = useObserved(workbench, (each) => each.connection);
  useEffect(() => {
    if (connection.phase === "open") void inspected.renew().catch(() => {});
  }, [connection, inspected]);
  const { catalogue, summary } = shown;
  const resources = (catalogue?.resources.length ?? 0) + (catalogue?.templates.length ?? 0);
  const skills = summary.capabilities.extensions?.[SKILLS_EXTENSION];
  const tabs: { id: string; title: string; many?: number; content: ReactNode }[] = [
    { id: "overview", title: "Overview", content: <OverviewTab {...props} /> },
    { id: "messages", title: "Messages", content: <ServerMessagesTab {...props} /> },
    ...(summary.transport === "stdio"
      ? []
      : [{ id: "http", title: "HTTP", content: <HttpTab inspected={inspected} /> }]),
    { id: "tools", title: "Tools", many: catalogue?.tools.length ?? 0, content: <ToolsTab {...props} /> },
    { id: "resources", title: "Resources", many: resources, content: <ResourcesTab {...props} /> },
    {
      id: "prompts",
      title: "Prompts",
      many: catalogue?.prompts.length ?? 0,
      content: <PromptsTab {...props} />,
    },
    ...(skills
      ? [
          {
            id: "skills",
            title: "Skills",
            content: <SkillsTab inspected={inspected} hasFolders={listsFolders(skills)} />,
          },
        ]
      : []),
    { id: "requests", title: "Requests", content: <RequestsTab {...props} /> },
    {
      id: "sign-in",
      title: "Sign-in",
      content: <SignInPanel signIn={inspected.signIn} />,
    },
    { id: "log", title: "Log", content: <LogTab {...props} /> },
    ...(summary.capabilities.tasks || hasModernTasks(summary.capabilities)
      ? [{ id: "tasks", title: "Tasks", content: <TasksTab {...props} /> }]
      : []),
  ];
  const current = tabs.some(({ id }) => id === selected) ? selected : "overview";
  return (
    <Tabs className="tabs in-tabs" selectedKey={current} onSelectionChange={(key) => onSelect(`${key}`)}>
      <TabRow label="About the server" selected={current}>
        {tabs.map(({ id, title, many = 0 }) => (
          <Tab key={id} id={id} className="tab">
            {title}
            {many > 0 && <span className="badge in-many">{count(many)}</span>}
          </Tab>
        ))}
      </TabRow>
      {tabs.map(({ id, title, content }) => (
        <TabPanel key={id} id={id} className="in-panel">
          <Boundary name={`The tab ${title}`}>{content}</Boundary>
        </TabPanel>
      ))}
    </Tabs>
  );
}
