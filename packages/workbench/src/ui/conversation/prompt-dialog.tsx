/**
 * Fills in the arguments of a server's prompt, with the server's suggestions.
 *
 * @module
 */
import { type FormEvent, useState } from "react";
import { Button, Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { messageOf } from "../../model/messages/messages.js";
import { serverCompletion } from "../../model/server/completion.js";
import type { Workbench } from "../../model/workbench.js";
import { CompletedField } from "../form/completed-field.js";
import type { OfferedPrompt } from "./prompt-command.js";
import { promptContent } from "./prompt-command.js";

/** Props of a {@link PromptDialog}. */
export interface PromptDialogProps {
  workbench: Workbench;
  offered: OfferedPrompt;
  /** Called with the filled-in prompt; undefined if the user cancels. */
  onDone: (content: ReturnType<typeof promptContent> | undefined) => void;
}

/** Asks for the arguments, gets the prompt, and hands it to the field, where the user can still change it. */
export function PromptDialog({ workbench, offered, onDone }: PromptDialogProps) {
  const { summary, prompt } = offered;
  const { name: server, identity } = summary;
  const complete = serverCompletion(workbench.gateway, summary, { type: "ref/prompt", name: prompt.name });
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
              <CompletedField
                key={argument.name}
                complete={complete}
                name={argument.name}
                label={argument.title ?? argument.name}
                description={argument.description}
                isRequired={argument.required}
                value={values[argument.name] ?? ""}
                values={values}
                onChange={(value) => setValues((before) => ({ ...before, [argument.name]: value }))}
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
