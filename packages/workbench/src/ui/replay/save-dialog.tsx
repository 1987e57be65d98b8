/**
 * Saves a redacted recording of an app.
 *
 * @module
 */
import { useMemo, useState } from "react";
import {
  Button,
  Checkbox,
  CheckboxGroup,
  Dialog,
  Heading,
  Input,
  Label,
  Modal,
  ModalOverlay,
  Text,
  TextField,
} from "react-aria-components";
import type { AppModel } from "../../model/app/app-model.js";
import { messageOf } from "../../model/messages/messages.js";
import { eventsOf, isRestored, recordApp } from "../../model/recording/recorder.js";
import { RECORDING_ENDING, writeRecording } from "../../model/recording/recording.js";
import {
  CALLS,
  EMAILS,
  QUERIES,
  type RedactionRule,
  redact,
  SECRETS,
  TOKENS,
} from "../../model/redaction/redact.js";
import { countAt } from "../../model/redaction/redact-paths.js";
import { wrongPath } from "../../node/redaction-path.js";
import { fileName, saveFile } from "../save-file.js";

const CHOICES: { id: string; label: string; rules: readonly RedactionRule[] }[] = [
  { id: "secrets", label: "Passwords, tokens and keys", rules: [SECRETS, TOKENS, QUERIES] },
  { id: "emails", label: "E-mail addresses", rules: [EMAILS] },
  { id: "calls", label: "All arguments and results of tools", rules: [CALLS] },
];

/** Asks what to redact, and saves the file. */
export function SaveDialog({ app, onClose }: { app: AppModel; onClose: () => void }) {
  const [chosen, setChosen] = useState<string[]>(["secrets"]);
  const [hidden, setHidden] = useState("");
  const [problem, setProblem] = useState<string>();
  const paths = pathsIn(hidden);
  const isWrong = paths.some((path) => wrongPath(path) !== undefined);
  const save = async (): Promise<void> => {
    try {
      const rules = [
        ...CHOICES.filter(({ id }) => chosen.includes(id)).flatMap((choice) => choice.rules),
        ...paths.map((path) => ({ paths: [path] })),
      ];
      const recording = await recordApp(app);
      const text = writeRecording(rules.length > 0 ? redact(recording, rules) : recording);
      saveFile(nameOf(app), text, "application/jsonl");
      onClose();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const { counts, dropped } = app.log;
  return (
    <ModalOverlay className="modal-shade recording-shade" isOpen isDismissable onOpenChange={onClose}>
      <Modal className="modal recording-dialog">
        <Dialog className="recording-form">
          <Heading slot="title" level={2}>
            Save a recording
          </Heading>
          <p className="soft">
            One file with {app.source.title} and the {counts.in + counts.out} messages so far. It can be
            played without the server.
            {isRestored(app) &&
              " The app was open before, and its stored state is not in the file, so a replay may differ. To compare it, run the tool again and record that."}
            {dropped > 0 && ` The first ${dropped} messages were dropped, and are not in it.`}
          </p>
          <CheckboxGroup
            className="recording-choices"
            value={chosen}
            onChange={setChosen}
            aria-label="Remove"
          >
            <span className="small soft" aria-hidden="true">
              Remove
            </span>
            {CHOICES.map(({ id, label }) => (
              <Checkbox key={id} value={id} className="recording-choice">
                <span className="recording-box" aria-hidden="true" />
                {label}
              </Checkbox>
            ))}
          </CheckboxGroup>
          <HiddenPlaces app={app} text={hidden} onChange={setHidden} />
          <p className="small soft">
            This is a best effort: secrets are found by their names and forms. Look through the file before
            you pass it on. The app's own document is saved as it is.
          </p>
          {problem && (
            <p className="problem" role="alert">
              {problem}
            </p>
          )}
          <div className="recording-buttons">
            <Button className="button" slot="close">
              Cancel
            </Button>
            <Button className="button primary" isDisabled={isWrong} onPress={() => void save()}>
              Save
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Paths, separated by spaces or commas. */
const pathsIn = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter(Boolean))];

interface HiddenPlacesProps {
  app: AppModel;
  text: string;
  onChange: (text: string) => void;
}

/** Values redacted by path, with their number. */
function HiddenPlaces({ app, text, onChange }: HiddenPlacesProps) {
  // Fixed when the dialog is opened, because the app continues.
  const events = useMemo(() => eventsOf(app.log), [app]);
  const said = useMemo(
    () =>
      pathsIn(text).map((path) => {
        const wrong = wrongPath(path);
        if (wrong !== undefined) return { path, wrong, words: wrong };
        const count = countAt(events, path);
        return {
          path,
          words: count === 0 ? "no match" : count === 1 ? "1 value" : `${count} values`,
        };
      }),
    [text, events],
  );
  return (
    <TextField
      className="recording-hidden"
      value={text}
      onChange={onChange}
      isInvalid={said.some(({ wrong }) => wrong !== undefined)}
    >
      <Label className="small soft">Also remove</Label>
      <Input className="input" placeholder="params.arguments.user result.content.*.text" spellCheck="false" />
      <Text slot="description" className="small soft">
        params.arguments and result are those of the app's own tool, and of each call that it made.
      </Text>
      <ul className="small" aria-live="polite">
        {said.map(({ path, wrong, words }) => (
          <li key={path} className={wrong === undefined ? "soft" : "recording-wrong"}>
            {path}: {words}
          </li>
        ))}
      </ul>
    </TextField>
  );
}

const nameOf = ({ source: { server, tool, title } }: AppModel): string =>
  `${fileName(`${server}-${tool?.name ?? title}`)}${RECORDING_ENDING}`;
