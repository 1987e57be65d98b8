/**
 * Shows and changes the host context of an app.
 *
 * @module
 */

import type { DisplayMode, HostContext } from "@vitrine/protocol";
import { recordOf } from "@vitrine/protocol";
import { Button } from "react-aria-components";
import type { AppModel } from "../../model/app/app-model.js";
import type { Look } from "../../model/diagnosis/look.js";
import { isLocale, isTimeZone } from "../../model/diagnosis/look-checks.js";
import { DEVICES, type DeviceName } from "../../model/profiles/devices.js";
import { Choice } from "../choice.js";
import { useObservable } from "../use-observable.js";
import { PixelBox, TextBox } from "./fields.js";
import { moment } from "./format.js";
import { Json } from "./json.js";

const AS_BROWSER = { id: "", label: "As this browser" };
const THEMES = [AS_BROWSER, { id: "light", label: "Light" }, { id: "dark", label: "Dark" }];
const PLATFORMS = [
  AS_BROWSER,
  { id: "web", label: "Web" },
  { id: "desktop", label: "Desktop" },
  { id: "mobile", label: "Mobile" },
];
const YES_NO = [AS_BROWSER, { id: "yes", label: "Yes" }, { id: "no", label: "No" }];
const MODES: Readonly<Record<DisplayMode, string>> = {
  inline: "Inline",
  fullscreen: "Full screen",
  pip: "Floating",
};
const DEVICE_NAMES: Readonly<Record<DeviceName, string>> = {
  browser: "As this browser",
  desktop: "Desktop",
  tablet: "Tablet",
  mobile: "Mobile",
};
const SIDES = ["top", "right", "bottom", "left"] as const;
const NO_INSETS = { top: 0, right: 0, bottom: 0, left: 0 };

/** An editor of the host context, and the app's current context. */
export function ContextTab({ app }: { app: AppModel }) {
  useObservable(app);
  useObservable(app.log);
  const context = app.bridge?.context ?? {};
  const { contextChange } = app.log;
  return (
    <div className="in-scroll in-context">
      <Editor app={app} context={context} />
      <section className="in-section">
        <h3>Current context</h3>
        <Json value={context} label="The host context" depth={2} />
        <h3>The last change that it received</h3>
        {contextChange ? (
          <>
            <p className="soft small">at {moment(contextChange.at)}</p>
            <Json value={recordOf(contextChange.message).params} label="The last change" />
          </>
        ) : (
          <p className="soft">None since it was initialized.</p>
        )}
      </section>
    </div>
  );
}

function Editor({ app, context }: { app: AppModel; context: HostContext }) {
  const { look } = app;
  const { displayMode = "inline", deviceCapabilities } = context;
  // The app or the user may have changed the mode since, which this must not undo.
  const change = (part: Look): void => app.setLook({ ...look, displayMode, ...part });
  /** An app gets both values, or neither. */
  const device = (part: Pick<Look, "touch" | "hover">): void => {
    const {
      touch = look.touch ?? deviceCapabilities?.touch,
      hover = look.hover ?? deviceCapabilities?.hover,
    } = part;
    change({ touch, hover });
  };
  return (
    <section className="in-section" aria-label="Change the context">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has a border of its own that no style takes away everywhere. */}
      <div className="in-presets" role="group" aria-label="Devices">
        {(Object.keys(DEVICES) as DeviceName[]).map((name) => (
          <Button key={name} className="button" onPress={() => change(DEVICES[name])}>
            {DEVICE_NAMES[name]}
          </Button>
        ))}
      </div>
      <div className="in-fields">
        <Choice
          label="Theme"
          showLabel
          options={THEMES}
          value={look.theme ?? ""}
          onChange={(id) => change({ theme: id === "light" || id === "dark" ? id : undefined })}
        />
        <Choice
          label="Display mode"
          showLabel
          options={app.modes.map((id) => ({ id, label: MODES[id] }))}
          value={displayMode}
          onChange={(id) => change({ displayMode: app.modes.find((mode) => mode === id) })}
        />
        <TextBox
          label="Locale"
          value={look.locale ?? ""}
          placeholder={context.locale ?? ""}
          check={(text) => (isLocale(text) ? undefined : "Write it like en-GB or de-CH.")}
          onChange={(locale) => change({ locale })}
        />
        <TextBox
          label="Time zone"
          value={look.timeZone ?? ""}
          placeholder={context.timeZone ?? ""}
          check={(text) => (isTimeZone(text) ? undefined : "Write it like Europe/Berlin.")}
          onChange={(timeZone) => change({ timeZone })}
        />
        <Choice
          label="Platform"
          showLabel
          options={PLATFORMS}
          value={look.platform ?? ""}
          onChange={(id) =>
            change({ platform: id === "web" || id === "desktop" || id === "mobile" ? id : undefined })
          }
        />
        <Choice
          label="Touch"
          showLabel
          options={YES_NO}
          value={answerOf(look.touch)}
          onChange={(id) =>
            id ? device({ touch: id === "yes" }) : change({ touch: undefined, hover: undefined })
          }
        />
        <Choice
          label="Hover"
          showLabel
          options={YES_NO}
          value={answerOf(look.hover)}
          onChange={(id) =>
            id ? device({ hover: id === "yes" }) : change({ touch: undefined, hover: undefined })
          }
        />
        <PixelBox label="Width" value={look.width} onChange={(width) => change({ width })} />
        <PixelBox
          label="Height at most"
          value={look.maxHeight}
          onChange={(maxHeight) => change({ maxHeight })}
        />
        <PixelBox label="Fixed height" value={look.height} onChange={(height) => change({ height })} />
      </div>
      <h3>Safe area</h3>
      <div className="in-fields">
        {SIDES.map((side) => (
          <PixelBox
            key={side}
            label={side}
            value={look.safeAreaInsets?.[side]}
            onChange={(value) => {
              const insets = { ...NO_INSETS, ...look.safeAreaInsets, [side]: value ?? 0 };
              const isNone = value === undefined && SIDES.every((each) => insets[each] === 0);
              change({ safeAreaInsets: isNone ? undefined : insets });
            }}
          />
        ))}
      </div>
    </section>
  );
}

const answerOf = (value: boolean | undefined): string => (value === undefined ? "" : value ? "yes" : "no");
