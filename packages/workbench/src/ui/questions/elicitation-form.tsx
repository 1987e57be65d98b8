/**
 * A server's request for user input, or to open a page.
 *
 * @module
 */
import { type ReactNode, useMemo, useRef, useState } from "react";
import { Button } from "react-aria-components";
import type { PendingElicitation } from "../../model/conversation/questions.js";
import { focusFirstError, SchemaForm, type SchemaFormHandle } from "../form/schema-form.js";
import { startOf } from "../form/starting-input.js";
import { AgreeButton, useAcceptsPress } from "./agree-button.js";
import { elicitationSchema } from "./elicitation-schema.js";
import { hostOf } from "./link-host.js";

/** The question, to be answered, declined or cancelled. */
export function ElicitationForm({ asked }: { asked: PendingElicitation }) {
  const { question } = asked;
  return (
    <>
      {/* The words are the server's. */}
      <p className="description">{question.message}</p>
      {question.mode === "form" ? (
        <Fields asked={asked} schema={question.schema} />
      ) : (
        <Address asked={asked} url={question.url} />
      )}
    </>
  );
}

function Fields({ asked, schema: given }: { asked: PendingElicitation; schema: unknown }) {
  const schema = useMemo(() => elicitationSchema(given), [given]);
  const [value, setValue] = useState(() => startOf(schema, undefined));
  const form = useRef<SchemaFormHandle>(null);
  const box = useRef<HTMLDivElement>(null);
  const acceptsPress = useAcceptsPress();
  return (
    <>
      <div ref={box}>
        <SchemaForm
          ref={form}
          schema={schema}
          value={value}
          idPrefix="answer"
          onChange={setValue}
          onError={() => focusFirstError(box.current)}
          // Also for Enter in a field: keys typed while the question appeared were not meant for it.
          onSubmit={(content) => acceptsPress() && asked.answer({ action: "accept", content })}
        />
      </div>
      <p className="soft small">
        Your answer goes to the server {asked.question.server}. Never enter a password or a key here.
      </p>
      <Buttons asked={asked}>
        <AgreeButton onAgree={() => form.current?.submit()}>Answer</AgreeButton>
      </Buttons>
    </>
  );
}

function Address({ asked, url }: { asked: PendingElicitation; url: string }) {
  const host = hostOf(url);
  const open = (): void => {
    window.open(url, "_blank", "noopener,noreferrer");
    asked.answer({ action: "accept" });
  };
  return (
    <>
      {host === undefined ? (
        <p className="problem">This is not the address of a web page, and is not opened:</p>
      ) : (
        <p>
          It wants you to open a page of <strong>{host}</strong> in a new tab. Do so only if you know that
          site: what you do there is between you and it.
        </p>
      )}
      <p className="mono question-address">{url}</p>
      <Buttons asked={asked}>
        {host !== undefined && <AgreeButton onAgree={open}>Open {host}</AgreeButton>}
      </Buttons>
    </>
  );
}

/** Decline means no; cancel means no answer. */
function Buttons({ asked, children }: { asked: PendingElicitation; children: ReactNode }) {
  return (
    <div className="question-buttons">
      <Button className="button quiet" onPress={() => asked.answer({ action: "cancel" })}>
        Cancel
      </Button>
      <Button className="button" onPress={() => asked.answer({ action: "decline" })}>
        Decline
      </Button>
      {children}
    </div>
  );
}
