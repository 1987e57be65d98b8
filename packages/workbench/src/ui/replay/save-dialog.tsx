/**
 * Saves a recording of an app, without what must not be passed on.
 *
 * @module
 */
import { useState } from "react";
import { Button, Checkbox, CheckboxGroup, Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import type { AppModel } from "../../model/app-model.js";
import { messageOf } from "../../model/messages.js";
import { recordApp } from "../../model/recorder.js";
import { RECORDING_ENDING, writeRecording } from "../../model/recording.js";
import { CALLS, EMAILS, QUERIES, type RedactionRule, redact, SECRETS, TOKENS } from "../../model/redact.js";

const CHOICES: { id: string; label: string; rules: readonly RedactionRule[] }[] = [
  { id: "secrets", label: "Passwords, tokens and keys", rules: [SECRETS, TOKENS, QUERIES] },
  { id: "emails", label: "E-mail addresses", rules: [EMAILS] },
  { id: "calls", label: "All arguments and results of tools", rules: [CALLS] },
];

/** Asks what to take out, and saves the file. */
export function SaveDialog({ app, onClose }: { app: AppModel; onClose: () => void }) {
  const [chosen, setChosen] = useState<string[]>(["secrets"]);
  const [problem, setProblem] = useState<string>();
  const save = async (): Promise<void> => {
    try {
      const rules = CHOICES.filter(({ id }) => chosen.includes(id)).flatMap((choice) => choice.rules);
      const recording = await recordApp(app);
      saveFile(nameOf(app), writeRecording(rules.length > 0 ? redact(recording, rules) : recording));
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
            {dropped > 0 && ` The first ${dropped} messages were forgotten, and are not in it.`}
          </p>
          <CheckboxGroup
            className="recording-choices"
            value={chosen}
            onChange={setChosen}
            aria-label="Take out"
          >
            <span className="small soft" aria-hidden="true">
              Take out
            </span>
            {CHOICES.map(({ id, label }) => (
              <Checkbox key={id} value={id} className="recording-choice">
                <span className="recording-box" aria-hidden="true" />
                {label}
              </Checkbox>
            ))}
          </CheckboxGroup>
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
            <Button className="button primary" onPress={() => void save()}>
              Save
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** A name that every file system takes. */
function nameOf({ source: { server, tool, title } }: AppModel): string {
  const name = `${server}-${tool?.name ?? title}`.replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 100);
  return `${name}${RECORDING_ENDING}`;
}

function saveFile(name: string, text: string): void {
  const href = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
  Object.assign(document.createElement("a"), { href, download: name }).click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
