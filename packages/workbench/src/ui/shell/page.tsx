/**
 * The page: three panes side by side, or one of them on a narrow screen.
 *
 * @module
 */
import { useMemo } from "react";
import { Group, Panel, Separator, useDefaultLayout } from "react-resizable-panels";
import type { Workbench } from "../../model/workbench.js";
import { ConversationPane } from "../conversation/conversation-pane.js";
import { useObservable, useObserved } from "../use-observable.js";
import { Banners } from "./banners.js";
import { Boundary } from "./boundary.js";
import { Header } from "./header.js";
import { keep, readKept } from "./kept.js";
import { pageCommands, pageShortcuts } from "./page-commands.js";
import {
  ApprovalsDialog,
  GridDialog,
  InspectorPane,
  Palette,
  PaneTabs,
  QuestionDialogs,
  ReplayPlace,
  ServersPane,
  ShortcutsDialog,
  Tour,
} from "./page-parts.js";
import type { Screen } from "./screen.js";
import "./shell.css";
import { useShortcuts } from "./shortcuts.js";
import { useHash } from "./use-hash.js";

/** Storage for pane widths, which also works without browser storage. */
const KEPT = { getItem: (name: string) => readKept(name) ?? null, setItem: keep };

/** Props of a {@link Page}. */
export interface PageProps {
  workbench: Workbench;
  screen: Screen;
}

/** The whole page. On a narrow screen, CSS shows the selected pane: no app is moved for that. */
export function Page({ workbench, screen }: PageProps) {
  const isAsking = useObserved(workbench, (each) => each.isAsking);
  const hasQuestions = useObserved(workbench.questions, (each) => each.wereAsked);
  const isGrid = useHash() === "grid";
  useObservable(screen);
  const { mode, pane, chosen, isToolsShown, isToolsLoaded, isInspectorLoaded, overlay, tour } = screen;
  const shortcuts = useMemo(() => pageShortcuts(workbench, screen), [workbench, screen]);
  useShortcuts(shortcuts);
  const layout = useDefaultLayout({ id: "panes", storage: KEPT });
  return (
    <div
      className="page"
      data-mode={mode}
      data-pane={pane}
      data-tools={isToolsShown || undefined}
      data-tour={tour}
    >
      <Header workbench={workbench} screen={screen} />
      <Banners workbench={workbench} />
      <Group className="panes" {...layout} orientation="horizontal" role="main" aria-label="Workbench">
        <Panel id="tools" className="pane" defaultSize="24" minSize="220px">
          <section aria-label="Servers and tools" className="pane-body">
            <Boundary name="This pane">
              {isToolsLoaded && (
                <ServersPane
                  workbench={workbench}
                  chosen={chosen}
                  onChoose={screen.choose}
                  onRun={screen.toConversation}
                />
              )}
            </Boundary>
          </section>
        </Panel>
        <Separator className="separator separator-tools" aria-label="Width of the tools" />
        <Panel id="conversation" className="pane" minSize="280px">
          <section aria-label="Conversation" className="pane-body">
            <Boundary name="This pane">
              <ConversationPane workbench={workbench} onForm={screen.choose} />
            </Boundary>
          </section>
        </Panel>
        <Separator className="separator separator-inspector" aria-label="Width of the inspector" />
        <Panel id="inspector" className="pane" defaultSize="30" minSize="240px">
          <section aria-label="Inspector" className="pane-body">
            <Boundary name="This pane">
              {isInspectorLoaded && <InspectorPane workbench={workbench} />}
            </Boundary>
          </section>
        </Panel>
      </Group>
      {isInspectorLoaded && <ReplayPlace workbench={workbench} />}
      {isInspectorLoaded && <PaneTabs screen={screen} pane={pane} isAsking={isAsking} />}
      {isGrid && <GridDialog workbench={workbench} />}
      {tour && <Tour screen={screen} step={tour} />}
      {overlay === "palette" && (
        <Palette
          workbench={workbench}
          screen={screen}
          commands={pageCommands(workbench, screen, shortcuts)}
        />
      )}
      {overlay === "approvals" && <ApprovalsDialog screen={screen} servers={workbench.servers} />}
      {overlay === "shortcuts" && <ShortcutsDialog screen={screen} shortcuts={shortcuts} />}
      {hasQuestions && <QuestionDialogs workbench={workbench} />}
    </div>
  );
}
