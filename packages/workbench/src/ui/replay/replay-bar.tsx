/**
 * Playback controls of a recording.
 *
 * @module
 */
import { useState } from "react";
import {
  Button,
  Dialog,
  DialogTrigger,
  Popover,
  Slider,
  SliderThumb,
  SliderTrack,
  ToggleButton,
  ToggleButtonGroup,
} from "react-aria-components";
import { sayAct } from "../../model/recording/recorded-act.js";
import type { RunMessage } from "../../model/recording/recorded-run.js";
import type { Replay } from "../../model/recording/replay.js";
import type { Workbench } from "../../model/workbench.js";
import { useObservable, useObserved } from "../use-observable.js";
import { replaysOf } from "./replays.js";

/** The controls of the selected replay, if any; part of the layout, so that they cover nothing. */
export function ReplayPlace({ workbench }: { workbench: Workbench }) {
  const selected = useObserved(workbench, (each) => each.selected);
  const replays = replaysOf(workbench);
  useObservable(replays);
  const replay = replays.of(selected);
  return replay ? <ReplayBar replay={replay} /> : null;
}

/** Steps through a replay, plays it, and shows differences. */
function ReplayBar({ replay }: { replay: Replay }) {
  useObservable(replay);
  useObservable(replay.app.log);
  const { position, messages, isPlaying, speed, isAtEnd } = replay;
  // Applied only at the end of a drag: each position would restart the app.
  const [sought, setSought] = useState<number>();
  return (
    <section className="replay-bar" aria-label="Replay">
      <div className="replay-row">
        <Button
          className="button icon"
          aria-label="Previous message"
          isDisabled={position === 0}
          onPress={() => void replay.previous()}
        >
          <Icon path={ICONS.previous} />
        </Button>
        <Button
          className="button icon"
          aria-label={isPlaying ? "Pause" : "Play"}
          onPress={() => (isPlaying ? replay.pause() : void replay.play())}
        >
          <Icon path={isPlaying ? ICONS.pause : ICONS.play} />
        </Button>
        <Button
          className="button icon"
          aria-label="Next message"
          isDisabled={isAtEnd}
          onPress={() => void replay.next()}
        >
          <Icon path={ICONS.next} />
        </Button>
        <ToggleButtonGroup
          className="replay-speed"
          aria-label="Speed"
          selectionMode="single"
          disallowEmptySelection
          selectedKeys={[`${speed}`]}
          onSelectionChange={(keys) => replay.setSpeed(keys.has("max") ? "max" : 1)}
        >
          <ToggleButton id="1" className="button">
            ×1
          </ToggleButton>
          <ToggleButton id="max" className="button">
            max
          </ToggleButton>
        </ToggleButtonGroup>
      </div>
      <Slider
        className="replay-slider"
        aria-label="Position"
        minValue={0}
        maxValue={messages.length}
        value={sought ?? position}
        onChange={(to) => setSought(Number(to))}
        onChangeEnd={(to) => {
          setSought(undefined);
          void replay.goTo(Number(to));
        }}
      >
        <SliderTrack className="replay-track">
          <SliderThumb className="replay-thumb" />
        </SliderTrack>
      </Slider>
      <p className="replay-message small soft">
        {position} of {messages.length}
        {position > 0 && `: ${sayOf(messages[position - 1])}`}
      </p>
      <Differences replay={replay} />
      <Acts replay={replay} />
    </section>
  );
}

/** Recorded actions inside the app: the page can only list them. */
function Acts({ replay: { acts } }: { replay: Replay }) {
  if (acts.length === 0) return null;
  return (
    <div className="replay-acts small soft">
      <p>
        This page cannot press anything inside an app; vitrine render --replay can. Do it yourself, and the
        messages after it are compared:
      </p>
      <ol aria-label="Steps">
        {acts.map(({ place, act }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes.
          <li key={index}>
            {sayAct(act)} after message {place}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Drawn, because few fonts have these symbols. */
const ICONS = {
  previous: "M4 3h2v10H4zM13 3v10L6.5 8z",
  play: "M4 2.5v11l9-5.5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  next: "M3 3l6.5 5L3 13zM10 3h2v10h-2z",
};

function Icon({ path }: { path: string }) {
  return (
    <svg width="14" height="14" viewBox="0 0 16 16" fill="currentColor" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

function Differences({ replay }: { replay: Replay }) {
  const { differences, untested, compared } = replay.comparison;
  const { redacted = [], relax, dropped, restored } = replay.recording.header;
  const takenOut = redacted.filter((note) => !note.endsWith(": 0"));
  const count = differences.length;
  const same = replay.isAtEnd ? "Same" : "Same so far";
  const found = count === 1 ? "1 difference" : `${count} differences`;
  const verdict = count === 0 ? same : restored ? `${found}, unsure` : found;
  return (
    <DialogTrigger>
      <Button className="button quiet replay-verdict">
        <span className={`badge ${count === 0 ? "good" : "warn"}`}>{verdict}</span>
      </Button>
      <Popover className="popover">
        <Dialog className="replay-differences" aria-label="Differences">
          {count === 0 && <p>The app behaves as recorded: {compared} of its messages were compared.</p>}
          <ul>
            {differences.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
          {restored && (
            <p className="soft">
              The app was open before the recording started. Its stored state is not in the recording, which
              may cause differences.
            </p>
          )}
          {untested > 0 && (
            <p className="soft">
              {untested} messages came after a user's action in the app. Repeat the action, and they are
              answered and compared too.
            </p>
          )}
          {relax.length > 0 && (
            <p className="soft">
              The app ran with {relax.join(", ")}, which a replay does not have: it may not start.
            </p>
          )}
          {dropped > 0 && <p className="soft">Its first {dropped} messages are not in the recording.</p>}
          {takenOut.length > 0 && <p className="soft">Removed from the recording: {takenOut.join("; ")}.</p>}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

function sayOf(message: RunMessage | undefined): string {
  if (!message) return "";
  const { d, kind, method } = message;
  const who = d === "in" ? "the app" : "the host";
  const does = kind === "request" ? "requests" : kind === "answer" ? "answers" : "sends";
  return `${who} ${does} ${method}`;
}
