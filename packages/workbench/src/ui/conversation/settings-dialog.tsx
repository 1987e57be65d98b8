/**
 * The dialog with the settings of a conversation.
 *
 * @module
 */
import { MODEL_INPUT_LIMITS } from "@vitrine/wire";
import { type FormEvent, useState } from "react";
import {
  Button,
  Dialog,
  Heading,
  Input,
  Label,
  Modal,
  ModalOverlay,
  Text,
  TextArea,
  TextField,
} from "react-aria-components";
import type { PageConversation } from "../../model/conversation/conversation.js";
import { messageOf } from "../../model/messages/messages.js";
import { count } from "../inspector/format.js";

/** Props of a {@link SettingsDialog}. */
export interface SettingsDialogProps {
  conversation: PageConversation;
  onClose: () => void;
}

/** Instructions for the model, and its temperature. */
export function SettingsDialog({ conversation, onClose }: SettingsDialogProps) {
  const { settings } = conversation;
  const [system, setSystem] = useState(settings.system ?? "");
  const [written, setWritten] = useState(settings.temperature === undefined ? "" : `${settings.temperature}`);
  const [problem, setProblem] = useState<string>();
  const temperature = written.trim() === "" ? undefined : Number(written.replace(",", "."));
  const isWrong =
    temperature !== undefined && !(temperature >= 0 && temperature <= MODEL_INPUT_LIMITS.temperature);
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    try {
      const { model } = conversation.settings;
      await conversation.configure({
        ...(model !== undefined && { model }),
        ...(system.trim() !== "" && { system }),
        ...(temperature !== undefined && { temperature }),
      });
      onClose();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <ModalOverlay className="modal-shade models-shade" isOpen isDismissable onOpenChange={onClose}>
      <Modal className="modal models-modal">
        <Dialog className="models-dialog">
          <Heading slot="title" level={2}>
            Settings of this conversation
          </Heading>
          <form className="answer-settings" onSubmit={(event) => void save(event)}>
            <TextField value={system} onChange={setSystem} maxLength={MODEL_INPUT_LIMITS.system}>
              <Label className="soft small">Instructions for the model</Label>
              <TextArea className="input" placeholder="For example: answer in French, and briefly." />
              <Text slot="description" className="soft small">
                The model gets them with every message, after Vitrine's own. {count(system.length)} of{" "}
                {count(MODEL_INPUT_LIMITS.system)} characters.
              </Text>
            </TextField>
            <TextField value={written} onChange={setWritten} isInvalid={isWrong}>
              <Label className="soft small">Temperature, from 0 to 2</Label>
              <div className="answer-temperature">
                <Input className="input" inputMode="decimal" placeholder="Default" />
                <Text slot="description" className={isWrong ? "bad-text small" : "soft small"}>
                  {isWrong
                    ? "Write a number from 0 to 2."
                    : "Low is steady, high is varied. Some models ignore it."}
                </Text>
              </div>
            </TextField>
            {problem !== undefined && (
              <p className="problem" role="alert">
                {problem}
              </p>
            )}
            <div className="recording-buttons">
              <Button className="button" slot="close">
                Cancel
              </Button>
              <Button className="button primary" type="submit" isDisabled={isWrong}>
                Save
              </Button>
            </div>
          </form>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
