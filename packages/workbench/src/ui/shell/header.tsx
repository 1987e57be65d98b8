/**
 * The page's header: title, connection and settings.
 *
 * @module
 */
import { LayoutGrid, PanelRight, Search, Wrench } from "lucide-react";
import { memo } from "react";
import { Button, ToggleButton } from "react-aria-components";
import type { Workbench } from "../../model/workbench.js";
import { Choice } from "../choice.js";
import { RecordingMenu } from "../replay/recording-menu.js";
import { useObservable, useObserved } from "../use-observable.js";
import { ConnectionBadge } from "./connection.js";
import { keep } from "./kept.js";
import { Logo } from "./logo.js";
import type { Screen } from "./screen.js";
import { keysOf } from "./shortcuts.js";
import { applyTheme, isTheme, THEMES } from "./theme.js";
import { go } from "./use-hash.js";

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
          onChange={() => screen.toggleTools()}
        >
          <Wrench />
          <span className="wide-only">Tools</span>
        </ToggleButton>
      )}
      <span className="header-space" />
      <div className="header-tools">
        <Button className="button search-button" onPress={() => screen.show("palette")}>
          <Search />
          <span className="wide-text">Search</span>{" "}
          <kbd className="keys wide-only">{keysOf({ key: "k", isCommand: true })}</kbd>
        </Button>
        <ToggleButton
          className="button quiet inspect-button"
          aria-label="Inspect"
          isSelected={isInspecting}
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

/** Controls for people who look under the hood. */
function InspectTools({ workbench }: { workbench: Workbench }) {
  const profile = useObserved(workbench, (each) => each.profile);
  const { profiles } = workbench;
  const theme = useObserved(workbench, ({ look }) => look.theme ?? "system");
  return (
    <>
      <RecordingMenu workbench={workbench} />
      <Button className="button quiet" aria-label="Grid" onPress={() => go("grid")}>
        <LayoutGrid />
        <span className="wide-only">Grid</span>
      </Button>
      <Choice
        label="Host profile of new apps"
        options={profiles.map(({ id, title, description }) => ({ id, label: title, description }))}
        value={profile.id}
        onChange={(id) => {
          const chosen = profiles.find((each) => each.id === id);
          if (!chosen) return;
          workbench.profile = chosen;
          keep("profile", id);
        }}
      />
      <Choice
        label="Theme"
        options={THEMES}
        value={theme}
        onChange={(id) => isTheme(id) && applyTheme(workbench, id)}
      />
    </>
  );
}
