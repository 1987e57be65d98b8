/**
 * The page's header: title, connection and settings.
 *
 * @module
 */
import { PanelRight, Search, Wrench } from "lucide-react";
import { memo } from "react";
import { Button, ToggleButton } from "react-aria-components";
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
        <ToggleButton
          className="button quiet tools-button"
          aria-label="Tools"
          isSelected={screen.isToolsShown}
          onHoverStart={ServersPane.prepare}
          onChange={() => screen.toggleTools()}
        >
          <Wrench />
          <span className="wide-only">Tools</span>
        </ToggleButton>
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
        <ToggleButton
          className="button quiet inspect-button"
          aria-label="Inspect"
          isSelected={isInspecting}
          onHoverStart={prepareInspect}
          onChange={() => screen.setMode()}
        >
          <PanelRight />
          <span className="wide-only">Inspect</span>
        </ToggleButton>
        {isInspecting && <InspectTools workbench={workbench} />}
      </div>
    </header>
  );
});
