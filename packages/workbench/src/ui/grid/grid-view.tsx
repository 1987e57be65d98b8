/**
 * An app under several profiles, themes and devices at once.
 *
 * @module
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { Button, type Key, ToggleButton, ToggleButtonGroup } from "react-aria-components";
import type { AppModel } from "../../model/app/app-model.js";
import { DEVICES, type DeviceName } from "../../model/profiles/devices.js";
import type { Workbench } from "../../model/workbench.js";
import { Diagnosis } from "../inspector/diagnosis.js";
import { replaysOf } from "../replay/replays.js";
import { useObservable } from "../use-observable.js";
import { useProfiles } from "../use-profiles.js";
import "./grid.css";
import { type GridCell, GridCells, type GridSubject, MOST_CELLS } from "./grid-cells.js";
import { Scaled } from "./scaled.js";

const THEMES = [
  { id: "light", label: "Light" },
  { id: "dark", label: "Dark" },
] as const;
const DEVICE_NAMES: { id: DeviceName; label: string }[] = [
  { id: "desktop", label: "Desktop" },
  { id: "tablet", label: "Tablet" },
  { id: "mobile", label: "Mobile" },
];

/** All cells have the same scale, so that their relative sizes are real. */
const SCALE = 0.5;
/** Pixels beside the app in its cell. */
const PADDING = 18;
const WIDEST = 760;

/** Props of a {@link GridView}. */
export interface GridViewProps {
  workbench: Workbench;
  /** Shows a close button, if given. */
  onClose?: (() => void) | undefined;
}

/** The grid of the selected app: its cells get the same messages, or play its recording. */
export function GridView({ workbench, onClose }: GridViewProps) {
  // Fixed when the grid is opened: later changes of the page do not restart it.
  const [subject] = useState(() => subjectOf(workbench));
  return (
    <div className="grid-view">
      {subject ? (
        <Cells workbench={workbench} subject={subject} />
      ) : (
        <div className="empty">
          <h2>No app to show</h2>
          <p>Run a tool that has an app, select it, and open the grid again.</p>
        </div>
      )}
      {onClose && (
        <Button className="button grid-close" onPress={onClose}>
          Close
        </Button>
      )}
    </div>
  );
}

/** The recording or the call of the selected app, or of the newest one. */
function subjectOf(workbench: Workbench): GridSubject | undefined {
  const calls = workbench.conversation.items.filter((item) => item.kind === "call");
  const call =
    calls.find(({ app }) => app && app === workbench.selected) ??
    calls.findLast(({ app }) => app !== undefined);
  const replay = replaysOf(workbench).of(call?.app);
  if (replay) return { recording: replay.recording };
  return call && { call, identity: call.app?.source.identity };
}

/** Its tool and server. */
function nameOf(subject: GridSubject): { tool: string; server: string } {
  if ("call" in subject) return subject.call;
  const { tool, title, server } = subject.recording.header;
  return { tool: tool?.name ?? title, server: `${server}, from a recording` };
}

function Cells({ workbench, subject }: { workbench: Workbench; subject: GridSubject }) {
  const { gateway, profile } = workbench;
  const profiles = useProfiles(workbench);
  const [chosenProfiles, setProfiles] = useState<readonly string[]>([profile.id]);
  const [themes, setThemes] = useState<readonly string[]>(["light", "dark"]);
  const [devices, setDevices] = useState<readonly string[]>(["desktop", "mobile"]);
  const cells = useMemo(() => new GridCells(gateway, subject), [gateway, subject]);
  const { tool, server } = nameOf(subject);
  useObservable(cells);
  useEffect(() => {
    cells.choose({
      profiles: profiles.filter(({ id }) => chosenProfiles.includes(id)),
      themes: THEMES.map(({ id }) => id).filter((id) => themes.includes(id)),
      devices: DEVICE_NAMES.map(({ id }) => id).filter((id) => devices.includes(id)),
    });
  }, [cells, profiles, chosenProfiles, themes, devices]);
  useEffect(() => () => void cells.close(), [cells]);
  return (
    <>
      <div className="grid-choices">
        <p>
          <strong>{tool}</strong> <span className="soft">of {server}</span>
        </p>
        <Toggles label="Theme" options={THEMES} value={themes} onChange={setThemes} />
        <Toggles label="Device" options={DEVICE_NAMES} value={devices} onChange={setDevices} />
        <Toggles
          label="Profile"
          options={profiles.map(({ id, title }) => ({ id, label: title }))}
          value={chosenProfiles}
          onChange={setProfiles}
        />
      </div>
      {cells.left > 0 && (
        <p className="grid-note soft">
          {cells.left} more are not shown: {MOST_CELLS} apps are shown at once.
        </p>
      )}
      <div className="grid-cells">
        {cells.list.map((cell) => (
          <Cell key={cell.id} cell={cell} />
        ))}
      </div>
    </>
  );
}

interface TogglesProps {
  label: string;
  options: readonly { readonly id: string; readonly label: string }[];
  value: readonly string[];
  onChange: (ids: readonly string[]) => void;
}

function Toggles({ label, options, value, onChange }: TogglesProps) {
  const change = (keys: Set<Key>): void => onChange([...keys].map((key) => `${key}`));
  return (
    <div className="grid-toggles">
      <span className="soft small" aria-hidden="true">
        {label}
      </span>
      <ToggleButtonGroup
        className="grid-toggle-group"
        aria-label={label}
        selectionMode="multiple"
        disallowEmptySelection
        selectedKeys={value}
        onSelectionChange={change}
      >
        {options.map((option) => (
          <ToggleButton key={option.id} id={option.id} className="button">
            {option.label}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
    </div>
  );
}

function Cell({ cell }: { cell: GridCell }) {
  const { profile, theme, device, app, problem, said } = cell;
  const name = `${profile.title}, ${device}, ${theme}`;
  const { width = WIDEST } = DEVICES[device];
  return (
    <figure
      className="grid-cell"
      data-theme={theme}
      aria-label={name}
      style={{ width: width * SCALE + PADDING }}
    >
      <figcaption>
        <strong>{profile.title}</strong>
        <span className="soft">
          {device} · {theme}
        </span>
      </figcaption>
      <div className="grid-stage">
        {app && (
          <Scaled width={width}>
            <Slot app={app} />
          </Scaled>
        )}
      </div>
      {app && <Diagnosis app={app} />}
      {problem && <p className="problem">{problem}</p>}
      {said && <p className="grid-said soft">The app says: {said}</p>}
    </figure>
  );
}

/** Holds the app's element. */
function Slot({ app }: { app: AppModel }) {
  const slot = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    slot.current?.append(app.element);
  }, [app]);
  return <div ref={slot} />;
}
