/**
 * Fills in the arguments of a server's prompt, with the server's suggestions.
 *
 * @module
 */
import { recordOf } from "@vitrine/protocol";
import { type FormEvent, useEffect, useId, useState } from "react";
import { Button, Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { messageOf } from "../../model/messages/messages.js";
import type { Workbench } from "../../model/workbench.js";
import type { OfferedPrompt } from "./prompt-command.js";
import { promptContent } from "./prompt-command.js";

/** Milliseconds after typing before suggestions are requested. */
const PAUSE = 200;

/** Props of a {@link PromptDialog}. */
export interface PromptDialogProps {
  workbench: Workbench;
  offered: OfferedPrompt;
  /** Called with the filled-in prompt; undefined if the user cancels. */
  onDone: (content: ReturnType<typeof promptContent> | undefined) => void;
}

/** Asks for the arguments, gets the prompt, and hands it to the field, where the user can still change it. */
export function PromptDialog({ workbench, offered, onDone }: PromptDialogProps) {
  const { server, identity, prompt } = offered;
  const [values, setValues] = useState<Record<string, string>>({});
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
      const { messages } = await workbench.gateway.request("gateway/prompt", {
        server,
        identity,
        name: prompt.name,
        arguments: given,
      });
      onDone(promptContent(messages));
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <ModalOverlay
      className="modal-shade question-shade"
      isOpen
      onOpenChange={(isOpen) => !isOpen && onDone(undefined)}
    >
      <Modal className="modal question-modal">
        <Dialog className="question">
          <Heading slot="title" level={2}>
            {prompt.title ?? prompt.name}
          </Heading>
          <p className="soft small">
            A prompt of the server {server}. {prompt.description}
          </p>
          <form className="prompt-form" onSubmit={(event) => void submit(event)}>
            {(prompt.arguments ?? []).map((argument) => (
              <ArgumentField
                key={argument.name}
                workbench={workbench}
                offered={offered}
                name={argument.name}
                description={argument.description}
                isRequired={argument.required === true}
                values={values}
                onChange={(value) => setValues({ ...values, [argument.name]: value })}
              />
            ))}
            {problem !== undefined && (
              <p className="problem" role="alert">
                {problem}
              </p>
            )}
            <div className="question-buttons">
              <Button className="button" onPress={() => onDone(undefined)}>
                Cancel
              </Button>
              <Button className="button primary" type="submit" isDisabled={isBusy}>
                Write it
              </Button>
            </div>
          </form>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

interface ArgumentFieldProps {
  workbench: Workbench;
  offered: OfferedPrompt;
  name: string;
  description: string | undefined;
  isRequired: boolean;
  values: Readonly<Record<string, string>>;
  onChange: (value: string) => void;
}

/** A field; its suggestions depend on the other arguments. */
function ArgumentField(props: ArgumentFieldProps) {
  const { workbench, offered, name, description, isRequired, values, onChange } = props;
  const id = useId();
  const value = values[name] ?? "";
  const [suggested, setSuggested] = useState<readonly string[]>([]);
  const others = JSON.stringify({ ...values, [name]: undefined });
  useEffect(() => {
    let isWanted = true;
    const timer = setTimeout(async () => {
      try {
        const { values: found } = await workbench.gateway.request("gateway/complete", {
          server: offered.server,
          identity: offered.identity,
          ref: { type: "ref/prompt", name: offered.prompt.name },
          argument: { name, value },
          context: { arguments: textsOf(JSON.parse(others)) },
        });
        if (isWanted) setSuggested(found);
      } catch {
        // Not every server suggests values.
        if (isWanted) setSuggested([]);
      }
    }, PAUSE);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [workbench, offered, name, value, others]);
  return (
    <label className="question-field" htmlFor={id}>
      <span>
        {name}
        {isRequired && <span className="soft"> (required)</span>}
      </span>
      {description !== undefined && <span className="soft small">{description}</span>}
      <input
        id={id}
        className="input"
        value={value}
        required={isRequired}
        list={`${id}-values`}
        autoComplete="off"
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={`${id}-values`}>
        {suggested.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </label>
  );
}

const textsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(recordOf(value)).flatMap(([name, text]) =>
      typeof text === "string" && text !== "" ? [[name, text]] : [],
    ),
  );
