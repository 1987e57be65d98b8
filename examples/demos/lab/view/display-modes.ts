/** Switches between display modes. */
import type { DisplayMode } from "@vitrine/protocol";
import { App } from "@vitrine/view";
import { byId, make, problemOf } from "../../page.js";

const modes: DisplayMode[] = ["inline", "fullscreen", "pip"];
const app = new App({ name: "lab/display-modes", version: "1.0.0" }, { availableDisplayModes: modes });
const titles: Record<string, string> = {
  inline: "Inline",
  fullscreen: "Fullscreen",
  pip: "Picture in picture",
};
const show = (): void => {
  const {
    displayMode = "inline",
    availableDisplayModes = [],
    theme,
    locale,
    timeZone,
    containerDimensions,
  } = app.getHostContext() ?? {};
  byId("mode").textContent = titles[displayMode] ?? displayMode;
  byId("context").textContent = JSON.stringify(
    { theme, locale, timeZone, containerDimensions },
    undefined,
    1,
  );
  byId("buttons").replaceChildren(
    ...modes.map((mode) => {
      const isOff = !availableDisplayModes.includes(mode);
      const button = make("button", {
        type: "button",
        "aria-pressed": `${mode === displayMode}`,
        disabled: isOff,
      });
      button.textContent = titles[mode] ?? mode;
      button.onclick = async () => {
        try {
          const { mode: granted } = await app.requestDisplayMode({ mode });
          byId("said").textContent = granted === mode ? "" : `The host stays in ${granted}.`;
        } catch (error) {
          byId("said").textContent = problemOf(error);
        }
      };
      return button;
    }),
  );
};
app.onhostcontextchanged = show;
await app.connect();
show();
