/**
 * The inspector of one app: its messages, lifecycle and permissions.
 *
 * @module
 */
import { Fragment, memo, type ReactNode, useState } from "react";
import { Tab, TabPanel, Tabs } from "react-aria-components";
import type { AppModel } from "../../model/app/app-model.js";
import type { PageConversation } from "../../model/conversation/conversation.js";
import type { Workbench } from "../../model/workbench.js";
import { Choice } from "../choice.js";
import { useObservedCalmly } from "../use-observable.js";
import { AppToolsTab } from "./app-tools.js";
import { AuditTab } from "./audit.js";
import { ConsoleTab } from "./console.js";
import { ContextTab } from "./context.js";
import { DiagnosisPanel } from "./diagnosis.js";
import { count } from "./format.js";
import { MessagesTab } from "./messages.js";
import { ModelContextTab } from "./model-context.js";
import { PermissionsTab } from "./permissions.js";
import { PolicyTab } from "./policy.js";
import { TabRow } from "./tab-row.js";
import { TimelineTab } from "./timeline.js";
import "./inspector.css";

/** The inspector of the selected app, or of the newest. */
export const Inspector = memo(({ workbench }: { workbench: Workbench }) => {
  useObservedCalmly(workbench, selectedApp);
  useObservedCalmly(workbench.conversation, knownApps);
  // Shared by all apps, so that the tab stays when another app is selected.
  const [tab, setTab] = useState("messages");
  const { apps } = workbench.conversation;
  const app = workbench.selected ?? apps.at(-1);
  if (!app)
    return (
      <div className="empty">
        <h2>Nothing to inspect yet</h2>
        <p>Call a tool that has an app. Its messages, its policy and its life are shown here.</p>
      </div>
    );
  const known = apps.includes(app) ? apps : [...apps, app];
  return (
    <div className="inspector">
      <div className="in-head">
        <Choice
          label="The app to inspect"
          options={known.map(({ id, source }) => ({ id, label: source.title, description: source.server }))}
          value={app.id}
          onChange={(id) => workbench.select(known.find((each) => each.id === id))}
        />
        <AppState app={app} />
      </div>
      <DiagnosisPanel app={app} />
      <AppTabs app={app} selected={tab} onSelect={setTab} />
    </div>
  );
});

const selectedApp = ({ selected }: Workbench): AppModel | undefined => selected;
const knownApps = ({ apps }: PageConversation): string => apps.map(({ id }) => id).join();

const STATES = {
  ready: "good",
  // The diagnosis is below.
  failed: "",
  unresponsive: "warn",
  idle: "",
  released: "",
  loading: "accent",
  closed: "",
};

function AppState({ app }: { app: AppModel }) {
  useObservedCalmly(app);
  const { state, details, source } = app;
  const info = details?.appInfo;
  return (
    <p className="in-about soft small">
      <span className={`badge ${STATES[state]}`}>{state}</span>{" "}
      <span title={source.uri}>
        {source.server}
        {info && ` · ${info.name} ${info.version}`}
      </span>
    </p>
  );
}

function AppTabs(props: { app: AppModel; selected: string; onSelect: (tab: string) => void }) {
  const { app, selected, onSelect } = props;
  useObservedCalmly(app);
  useObservedCalmly(app.log);
  const { violations, lines, counts } = app.log;
  const hasError = lines.some(({ level }) => level === "error");
  return (
    <Tabs className="tabs in-tabs" selectedKey={selected} onSelectionChange={(key) => onSelect(`${key}`)}>
      <TabRow label="About the app" selected={selected}>
        <Title id="messages" many={counts.in + counts.out}>
          Messages
        </Title>
        <Title id="timeline">Timeline</Title>
        <Title id="policy" many={violations.length} tone="warn">
          Policy
        </Title>
        <Title id="context">Context</Title>
        <Title id="console" many={lines.length} tone={hasError ? "bad" : ""}>
          Console
        </Title>
        <Title id="model">Model context</Title>
        <Title id="tools">App tools</Title>
        <Title id="permissions">Permissions</Title>
        <Title id="audit">Audit</Title>
      </TabRow>
      <Panel id="messages" app={app}>
        <MessagesTab log={app.log} />
      </Panel>
      <Panel id="timeline" app={app}>
        <TimelineTab app={app} />
      </Panel>
      <Panel id="policy" app={app}>
        <PolicyTab app={app} />
      </Panel>
      <Panel id="context" app={app}>
        <ContextTab app={app} />
      </Panel>
      <Panel id="console" app={app}>
        <ConsoleTab log={app.log} />
      </Panel>
      <Panel id="model" app={app}>
        <ModelContextTab app={app} />
      </Panel>
      <Panel id="tools" app={app}>
        <AppToolsTab app={app} />
      </Panel>
      <Panel id="permissions" app={app}>
        <PermissionsTab app={app} />
      </Panel>
      <Panel id="audit" app={app}>
        <AuditTab app={app} />
      </Panel>
    </Tabs>
  );
}

function Title(props: { id: string; many?: number; tone?: string; children: ReactNode }) {
  const { id, many = 0, tone = "", children } = props;
  return (
    <Tab id={id} className="tab">
      {children}
      {many > 0 && <span className={`badge ${tone} in-many`}>{count(many)}</span>}
    </Tab>
  );
}

/** The content of a tab; it restarts for another app. */
function Panel({ id, app, children }: { id: string; app: AppModel; children: ReactNode }) {
  return (
    <TabPanel id={id} className="in-panel">
      <Fragment key={app.id}>{children}</Fragment>
    </TabPanel>
  );
}
