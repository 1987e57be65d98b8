/**
 * The page's header: title, connection and settings.
 *
 * @module
 */
import { memo, useState } from "react";
import { Button } from "react-aria-components";
import type { Workbench } from "../../model/workbench.js";
import { Choice } from "../choice.js";
import { RecordingMenu } from "../replay/recording-menu.js";
import { useObserved } from "../use-observable.js";
import { ConnectionBadge } from "./connection.js";
import { keep } from "./kept.js";
import { applyTheme, keptTheme, type ThemeChoice } from "./theme.js";
import { go } from "./use-hash.js";

const THEMES: { id: ThemeChoice; label: string }[] = [
  { id: "system", label: "System theme" },
  { id: "light", label: "Light" },
  { id: "dark", label: "Dark" },
];

/** The header. */
export const Header = memo(({ workbench }: { workbench: Workbench }) => {
  const connection = useObserved(workbench, (each) => each.connection);
  const profile = useObserved(workbench, (each) => each.profile);
  const { profiles } = workbench;
  const [theme, setTheme] = useState(keptTheme);
  return (
    <header className="header">
      <h1>Vitrine</h1>
      <ConnectionBadge state={connection} />
      <span className="header-space" />
      <div className="header-tools">
        <RecordingMenu workbench={workbench} />
        <Button className="button" onPress={() => go("grid")}>
          Grid
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
          onChange={(id) => {
            const chosen = THEMES.find((each) => each.id === id)?.id ?? "system";
            setTheme(chosen);
            applyTheme(workbench, chosen);
          }}
        />
      </div>
    </header>
  );
});
