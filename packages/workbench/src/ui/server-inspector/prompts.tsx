/**
 * Prompts of a server: their arguments, with completion, and a preview of their messages.
 *
 * @module
 */
import type { Prompt } from "@vitrine/protocol";
import { useState } from "react";
import { Button } from "react-aria-components";
import { isFields, readContent } from "../../model/app/foreign.js";
import { messageOf, textOf } from "../../model/messages/messages.js";
import type { MadeRequest } from "../../model/server/request-log.js";
import { ContentBlocks } from "../conversation/content-blocks.js";
import { CompletedField } from "../form/completed-field.js";
import { duration } from "../inspector/format.js";
import { Json } from "../inspector/json.js";
import { ListPages } from "./list-pages.js";
import { ServerIcon } from "./server-icon.js";
import type { ServerTabProps } from "./server-inspector.js";

/** The list. */
export function PromptsTab(props: ServerTabProps) {
  const prompts = props.shown.catalogue?.prompts ?? [];
  if (prompts.length === 0) return <p className="in-none soft">It offers no prompts.</p>;
  return (
    <div className="in-scroll">
      <ListPages inspected={props.inspected} list="prompts" />
      <ul className="in-cards" aria-label="Prompts">
        {prompts.map((prompt) => (
          <li key={prompt.name}>
            <PromptForm {...props} prompt={prompt} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function PromptForm({ prompt, ...props }: ServerTabProps & { prompt: Prompt }) {
  const { name, title, description, arguments: wanted = [], icons } = prompt;
  const { shown, inspected } = props;
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [made, setMade] = useState<MadeRequest>();
  const isMissing = wanted.some((argument) => argument.required && !values[argument.name]);
  const get = async (): Promise<void> => {
    const given = Object.entries(values).filter(([, value]) => value !== "");
    setMade(await inspected.prompt(name, Object.fromEntries(given)));
  };
  const { outcome } = made ?? {};
  return (
    <section className="in-section" aria-label={title ?? name}>
      <h3 className="si-title">
        <ServerIcon inspected={inspected} icons={icons} />
        {title ?? name}
      </h3>
      <p className="soft small mono">{name}</p>
      {description && <p className="description">{description}</p>}
      {wanted.map((argument) => (
        <CompletedField
          key={argument.name}
          complete={inspected.completion({ type: "ref/prompt", name }, shown.summary)}
          name={argument.name}
          label={argument.title ?? argument.name}
          description={argument.description}
          isRequired={argument.required}
          value={values[argument.name] ?? ""}
          values={values}
          onChange={(value) => setValues((before) => ({ ...before, [argument.name]: value }))}
        />
      ))}
      <div className="si-row">
        <Button className="button" isDisabled={isMissing} onPress={() => void get()}>
          Get the prompt
        </Button>
        {outcome && <span className="soft small">answered after {duration(outcome.duration)}</span>}
      </div>
      {outcome?.problem !== undefined && (
        <p className="problem small" role="alert">
          {outcome.problem}
        </p>
      )}
      {outcome?.result !== undefined && <Preview {...props} result={outcome.result} />}
    </section>
  );
}

interface PromptMessage {
  readonly role: string;
  readonly content: ReturnType<typeof readContent>;
}

function messagesOf(result: unknown): PromptMessage[] | undefined {
  const list = isFields(result) ? result["messages"] : undefined;
  if (!Array.isArray(list)) return undefined;
  return list.map((message: unknown) => {
    const { role, content } = isFields(message) ? message : {};
    return { role: String(role), content: readContent([content]) };
  });
}

function Preview({ result, workbench }: ServerTabProps & { result: unknown }) {
  const [said, setSaid] = useState<string>();
  const messages = messagesOf(result);
  if (!messages) return <Json value={result} label="The answer, which has no messages" />;
  const text = messages
    .filter(({ role }) => role === "user")
    .map(({ content }) => textOf({ content }))
    .join("\n\n");
  const send = (): void => {
    workbench.conversation.send(text).then(
      () => setSaid("Sent to the conversation."),
      (error: unknown) => setSaid(`Not sent: ${messageOf(error)}`),
    );
  };
  return (
    <section aria-label="Preview">
      <ol className="si-list">
        {messages.map(({ role, content }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have no names, and never change.
          <li key={index}>
            <span className="badge">{role}</span>
            <ContentBlocks content={content} />
          </li>
        ))}
      </ol>
      <div className="si-row">
        <Button className="button" isDisabled={text.trim() === ""} onPress={send}>
          Send to the conversation
        </Button>
        <span role="status" className="soft small">
          {said}
        </span>
      </div>
    </section>
  );
}
