/**
 * The arguments of a tool: a form, with the same as JSON beside it.
 *
 * @module
 */

import type { RJSFSchema } from "@rjsf/utils";
import type { Tool } from "@vitrine/protocol";
import { ChevronRight } from "lucide-react";
import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import { Button, Disclosure, DisclosurePanel } from "react-aria-components";
import { lastArguments, rememberArguments } from "./arguments-memory.js";
import { checkValue } from "./check-value.js";
import { JsonEditor } from "./json-editor.js";
import { readArguments } from "./json-text.js";
import { focusFirstError, SchemaForm, type SchemaFormHandle } from "./schema-form.js";
import { startOf } from "./starting-input.js";

type Arguments = Record<string, unknown>;

/** On a phone the form comes first, and JSON on request. */
const ROOMY = "(min-width: 760px)";

const print = (input: Arguments): string => JSON.stringify(input, null, 2);

/** Props of a {@link ToolForm}. */
export interface ToolFormProps {
  /** The tool's server: part of the key for its last arguments. */
  server: string;
  tool: Tool;
  /** Prefix of its field ids, unique in the page. */
  idPrefix?: string;
  onRun: (input: Arguments) => void;
}

/** The form of one tool, with the same as JSON beside or below it: the last change wins. */
export function ToolForm({ server, tool, idPrefix = "argument", onRun }: ToolFormProps) {
  const schema = tool.inputSchema as RJSFSchema;
  const form = useRef<SchemaFormHandle>(null);
  const box = useRef<HTMLDivElement>(null);
  const [input, setInput] = useState(() => startOf(schema, lastArguments(server, tool.name)));
  const [text, setText] = useState(() => print(input));
  const [isJsonLast, setJsonLast] = useState(false);
  const [isJsonOpen, setJsonOpen] = useState(() => matchMedia(ROOMY).matches);
  /** Problems of the JSON, after an attempt. */
  const [problems, setProblems] = useState<string[]>([]);
  const read = useMemo(() => readArguments(text), [text]);
  const hasInput = !isEmpty(schema);

  const fill = (next: Arguments): void => {
    setInput(next);
    setText(print(next));
    setProblems([]);
    setJsonLast(false);
  };
  const send = (value: Arguments): void => {
    setProblems([]);
    rememberArguments(server, tool, value);
    onRun(value);
  };
  /** Sends the JSON as written: the form would add its defaults. */
  const sendJson = (): void => {
    // The fields may show errors of an earlier attempt.
    form.current?.validateForm();
    const errors = read.value ? checkValue(schema, read.value) : [{ path: [], message: read.problem }];
    if (read.value && errors.length === 0) {
      send(read.value);
      return;
    }
    setProblems(
      errors.map(({ path, message }) => (path.length > 0 ? `${path.join(".")}: ${message}` : message)),
    );
    setJsonOpen(true);
    box.current?.querySelector<HTMLElement>(".json-text")?.focus();
  };
  const run = (): void => {
    if (!hasInput) send({});
    else if (isJsonLast) sendJson();
    else form.current?.submit();
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    // Prevents a press of the focused button.
    event.stopPropagation();
    run();
  };

  return (
    <div className="tool-form" ref={box} onKeyDownCapture={keys}>
      {hasInput && (
        <div className="sides">
          <div className="side">
            {read.problem !== undefined && (
              <p className="problem small">The JSON is invalid, so the form does not show it.</p>
            )}
            <SchemaForm
              ref={form}
              schema={schema}
              value={input}
              idPrefix={idPrefix}
              onError={() => isJsonLast || focusFirstError(box.current)}
              onChange={(next, isByPerson) => {
                // Form defaults must not overwrite the written JSON.
                if (isByPerson || !isJsonLast) fill(next);
              }}
              onSubmit={send}
            />
          </div>
          <Disclosure className="side" isExpanded={isJsonOpen} onExpandedChange={setJsonOpen}>
            <Button slot="trigger" className="fold-button small soft">
              <ChevronRight className="fold" />
              JSON
            </Button>
            <DisclosurePanel>
              <JsonEditor
                text={text}
                problems={problems.length > 0 ? problems : read.problem === undefined ? [] : [read.problem]}
                onChange={(next) => {
                  setText(next);
                  setProblems([]);
                  setJsonLast(true);
                  const { value } = readArguments(next);
                  if (value) setInput(value);
                }}
              />
            </DisclosurePanel>
          </Disclosure>
        </div>
      )}
      {!hasInput && <p className="soft">This tool takes no arguments.</p>}
      <div className="run-row">
        <Button className="button primary" onPress={run}>
          Run
        </Button>
        <span className="soft small">
          {/Mac|iP(hone|ad)/.test(navigator.platform) ? "⌘" : "Ctrl"} + Enter
        </span>
        {hasInput && (
          <Button className="button quiet" onPress={() => fill(startOf(schema, undefined))}>
            Reset
          </Button>
        )}
      </div>
    </div>
  );
}

/** Whether the tool takes no arguments. */
const isEmpty = ({ properties = {}, additionalProperties, ...schema }: RJSFSchema): boolean =>
  Object.keys(properties).length === 0 &&
  (additionalProperties === undefined || typeof additionalProperties === "boolean") &&
  !["$ref", "anyOf", "oneOf", "allOf", "patternProperties", "if"].some((key) => key in schema) &&
  additionalProperties !== true;
