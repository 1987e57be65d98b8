/**
 * A sampling request of a server or app: the user reviews, edits and decides.
 *
 * @module
 */
import { oneLine } from "@vitrine/host";
import type { ContentBlock } from "@vitrine/protocol";
import type { SamplingQuestion } from "@vitrine/wire";
import { useState } from "react";
import { Button, Heading, Input, Label, NumberField, TextArea, TextField } from "react-aria-components";
import type { PendingSampling } from "../../model/conversation/questions.js";
import { ContentBlocks } from "../conversation/content-blocks.js";
import { AgreeButton } from "./agree-button.js";
import { allowed, draftOf, leftMessages, withText } from "./sampling-draft.js";

const ROLES = { user: "As the user", assistant: "As the model" };

/** The request, to be edited, allowed or denied. */
export function SamplingForm({ asked }: { asked: PendingSampling }) {
  const { question } = asked;
  const { server, app, model } = question;
  const [draft, setDraft] = useState(() => draftOf(question));
  const isEmpty = leftMessages(draft).length === 0;
  return (
    <>
      <Heading slot="title" level={2}>
        {app
          ? `The server ${server}, by its app ${oneLine(app.title)}, wants to ask the model`
          : `The server ${server} wants to ask the model`}
      </Heading>
      <p className="soft">
        {model} would receive the text below, at your cost, and {app ? "the app" : "the server"} would read
        the answer. Nothing else of this conversation is sent.
      </p>
      <TextField
        className="question-field"
        value={draft.systemPrompt}
        onChange={(systemPrompt) => setDraft({ ...draft, systemPrompt })}
      >
        <Label className="soft small">Instructions (system prompt)</Label>
        <TextArea className="input question-text" rows={2} />
      </TextField>
      {draft.messages.map(({ role, content }, message) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no names, and stay where they are.
        <div key={message} className="question-message">
          {content.map((block, place) => (
            <Part
              // biome-ignore lint/suspicious/noArrayIndexKey: as above.
              key={place}
              label={`${ROLES[role]}, message ${message + 1}`}
              block={block}
              onChange={(text) => setDraft(withText(draft, message, place, text))}
            />
          ))}
        </div>
      ))}
      <NumberField
        className="question-field question-number"
        value={draft.maxTokens}
        minValue={1}
        // A higher limit would help only the requester.
        maxValue={question.maxTokens}
        onChange={(maxTokens) =>
          setDraft({ ...draft, maxTokens: Number.isNaN(maxTokens) ? question.maxTokens : maxTokens })
        }
      >
        <Label className="soft small">Tokens of the answer, at most</Label>
        <Input className="input" />
      </NumberField>
      <Manner temperature={question.temperature} stopSequences={question.stopSequences} />
      {isEmpty && <p className="problem small">No message is left: there is nothing to ask.</p>}
      <div className="question-buttons">
        <Button className="button" onPress={() => asked.answer({ answer: "deny" })}>
          Deny
        </Button>
        <AgreeButton isDisabled={isEmpty} onAgree={() => asked.answer(allowed(question, draft))}>
          Allow
        </AgreeButton>
      </div>
    </>
  );
}

/** Further parameters, which cannot be edited. */
function Manner({ temperature, stopSequences }: Pick<SamplingQuestion, "temperature" | "stopSequences">) {
  if (temperature === undefined && !stopSequences) return null;
  return (
    <p className="soft small">
      {temperature !== undefined && `Temperature ${temperature}. `}
      {stopSequences &&
        `The answer ends before ${stopSequences.map((text) => JSON.stringify(text)).join(", ")}.`}
    </p>
  );
}

interface PartProps {
  label: string;
  block: ContentBlock;
  onChange: (text: string) => void;
}

/** Text is editable; other content is only shown. */
function Part({ label, block, onChange }: PartProps) {
  if (block.type !== "text")
    return (
      <>
        <span className="soft small">{label}</span>
        <ContentBlocks content={[block]} />
      </>
    );
  return (
    <TextField className="question-field" value={block.text} onChange={onChange}>
      <Label className="soft small">{label}</Label>
      <TextArea className="input question-text" rows={3} />
    </TextField>
  );
}
