/**
 * The controls of the header for people who look under the hood.
 *
 * @module
 */
import { LayoutGrid } from "lucide-react";
import { Button } from "react-aria-components";
import type { Workbench } from "../../model/workbench.js";
import { Choice } from "../choice.js";
import { RecordingMenu } from "../replay/recording-menu.js";
import { useObserved } from "../use-observable.js";
import { useProfiles } from "../use-profiles.js";
import { keep } from "./kept.js";
import { applyTheme, isTheme, THEMES } from "./theme.js";
import { go } from "./use-hash.js";

/** Recordings, the grid, the host profile and the theme. */
export function InspectTools({ workbench }: { workbench: Workbench }) {
  const profile = useObserved(workbench, (each) => each.profile);
  const profiles = useProfiles(workbench);
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
