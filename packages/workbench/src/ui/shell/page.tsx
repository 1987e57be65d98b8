/**
 * The page: three panes side by side, or one of them on a narrow screen.
 *
 * @module
 */
import { lazy, Suspense, useMemo } from "react";
import {
  Button,
  Dialog,
  Heading,
  Modal,
  ModalOverlay,
  ToggleButton,
  ToggleButtonGroup,
} from "react-aria-components";
import { Group, Panel, Separator, useDefaultLayout } from "react-resizable-panels";
import type { Workbench } from "../../model/workbench.js";
import { ConversationPane } from "../conversation/conversation-pane.js";
import { QuestionDialogs } from "../questions/question-dialogs.js";
import { ReplayPlace } from "../replay/replay-bar.js";
import { ServersPane } from "../servers/servers-pane.js";
import { useObservable, useObserved } from "../use-observable.js";
import { Banners } from "./banners.js";
import { Boundary } from "./boundary.js";
import { Header } from "./header.js";
import { keep, readKept } from "./kept.js";
import { pageCommands, pageShortcuts } from "./page-commands.js";
import type { Pane, Screen } from "./screen.js";
import "./shell.css";
import { useShortcuts } from "./shortcuts.js";
import { go, useHash } from "./use-hash.js";

const Palette = lazy(() => import("./palette.js"));
const ShortcutsDialog = lazy(async () => ({
  default: (await import("./shortcuts-dialog.js")).ShortcutsDialog,
}));
const Tour = lazy(() => import("./tour.js"));
const ApprovalsDialog = lazy(() => import("./approvals-dialog.js"));

const PANES: { id: Pane; title: string }[] = [
  { id: "tools", title: "Tools" },
  { id: "conversation", title: "Conversation" },
  { id: "inspector", title: "Inspector" },
];

/** Loaded after the conversation, which people see first. */
const InspectorPane = lazy(async () => ({
  default: (await import("../inspector-pane/inspector-pane.js")).InspectorPane,
}));
/** Loaded when it is opened. */
const GridView = lazy(async () => ({ default: (await import("../grid/grid-view.js")).GridView }));

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
  useObservable(screen);
  const { mode, pane, chosen, isToolsShown, isInspectorLoaded, overlay, tour } = screen;
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
              <ServersPane
                workbench={workbench}
                chosen={chosen}
                onChoose={screen.choose}
                onRun={screen.toConversation}
              />
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
              {isInspectorLoaded && (
                <Suspense>
                  <InspectorPane workbench={workbench} />
                </Suspense>
              )}
            </Boundary>
          </section>
        </Panel>
      </Group>
      <ReplayPlace workbench={workbench} />
      <nav className="pane-tabs" aria-label="Panes">
        <ToggleButtonGroup
          aria-label="Pane"
          selectionMode="single"
          disallowEmptySelection
          selectedKeys={[pane]}
          onSelectionChange={(keys) => {
            const id = PANES.find((each) => keys.has(each.id))?.id;
            if (id) screen.setPane(id);
          }}
        >
          {PANES.map(({ id, title }) => (
            <ToggleButton key={id} id={id} className="pane-tab">
              {title}
              {id === "conversation" && isAsking && <span className="badge warn">asks</span>}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
      </nav>
      <GridDialog workbench={workbench} />
      {tour && (
        <Suspense>
          <Tour screen={screen} step={tour} />
        </Suspense>
      )}
      {overlay === "palette" && (
        <Suspense>
          <Palette
            workbench={workbench}
            screen={screen}
            commands={pageCommands(workbench, screen, shortcuts)}
          />
        </Suspense>
      )}
      {overlay === "approvals" && (
        <Suspense>
          <ApprovalsDialog screen={screen} />
        </Suspense>
      )}
      {overlay === "shortcuts" && (
        <Suspense>
          <ShortcutsDialog screen={screen} shortcuts={shortcuts} />
        </Suspense>
      )}
      <QuestionDialogs workbench={workbench} />
    </div>
  );
}

/** The grid over the page: the apps below continue. */
function GridDialog({ workbench }: { workbench: Workbench }) {
  const isOpen = useHash() === "grid";
  return (
    <ModalOverlay className="modal-shade" isOpen={isOpen} onOpenChange={() => go("")}>
      <Modal className="modal">
        <Dialog className="grid-dialog" aria-label="Grid">
          <header className="header">
            <Heading slot="title" level={2}>
              Grid
            </Heading>
            <span className="header-space" />
            <Button className="button" slot="close">
              Close
            </Button>
          </header>
          <Boundary name="The grid">
            <Suspense>
              <GridView workbench={workbench} />
            </Suspense>
          </Boundary>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
