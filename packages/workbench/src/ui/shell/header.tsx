/**
 * The page's header: title, connection and settings.
 *
 * @module
 */
import { PanelRight, Search, Wrench } from "lucide-react";
import { memo } from "react";
import { Button } from "react-aria-components";
import type { Workbench } from "../../model/workbench.js";
import { useObservable, useObserved } from "../use-observable.js";
import { ConnectionBadge } from "./connection.js";
import { Logo } from "./logo.js";
import { InspectTools, Palette, prepareInspect, ServersPane } from "./page-parts.js";
import type { Screen } from "./screen.js";
import { keysOf } from "./shortcuts.js";

/** Props of a {@link Header}. */
export interface HeaderProps {
  workbench: Workbench;
  screen: Screen;
}

/** A toggle. The library's own one is larger, because it can be one of a group. */
const pressedIf = (isPressed: boolean) => ({
  "aria-pressed": isPressed,
  "data-selected": isPressed || undefined,
});

/** The header. */
export const Header = memo(({ workbench, screen }: HeaderProps) => {
  const connection = useObserved(workbench, (each) => each.connection);
  useObservable(screen);
  const isInspecting = screen.mode === "inspect";
  return (
    <header className="header">
      <h1>
        <Logo />
        Vitrine
      </h1>
      {(isInspecting || connection.phase !== "open") && <ConnectionBadge state={connection} />}
      {!isInspecting && (
        <Button
          className="button quiet tools-button"
          aria-label="Tools"
          {...pressedIf(screen.isToolsShown)}
          onHoverStart={ServersPane.prepare}
          onPress={() => screen.toggleTools()}
        >
          <Wrench />
          <span className="wide-only">Tools</span>
        </Button>
      )}
      <span className="header-space" />
      <div className="header-tools">
        <Button
          className="button search-button"
          onHoverStart={Palette.prepare}
          onPress={() => screen.show("palette")}
        >
          <Search />
          <span className="wide-text">Search</span>{" "}
          <kbd className="keys wide-only">{keysOf({ key: "k", isCommand: true })}</kbd>
        </Button>
        <Button
          className="button quiet inspect-button"
          aria-label="Inspect"
          {...pressedIf(isInspecting)}
          onHoverStart={prepareInspect}
          onPress={() => screen.setMode()}
        >
          <PanelRight />
          <span className="wide-only">Inspect</span>
        </Button>
        {isInspecting && <InspectTools workbench={workbench} />}
      </div>
    </header>
  );
});
