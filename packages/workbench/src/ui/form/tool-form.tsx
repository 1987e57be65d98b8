/**
 * What a tool is called with: a form, and the same as JSON beside it.
 *
 * @module
 */
// Not by the package's front door: behind that is a test helper that wants a validator which needs `eval`.
import Form from "@rjsf/core/lib/components/Form.js";
import type { RJSFSchema } from "@rjsf/utils";
import type { Tool } from "@vitrine/protocol";
import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import { Button, Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { lastArguments, rememberArguments } from "./arguments-memory.js";
import { JsonEditor } from "./json-editor.js";
import { readArguments } from "./json-text.js";
import { DEFAULTS, plain, startOf } from "./starting-input.js";
import { templates } from "./templates.js";
import { checkValue, validator } from "./validator.js";
import { widgets } from "./widgets.js";

type Arguments = Record<string, unknown>;

const NO_BUTTON = <span hidden />;

const print = (input: Arguments): string => JSON.stringify(input, null, 2);

/** Props of a {@link ToolForm}. */
export interface ToolFormProps {
  server: string;
  tool: Tool;
  onRun: (input: Arguments) => void;
}

/** The form of one tool. */
export function ToolForm({ server, tool, onRun }: ToolFormProps) {
  const schema = tool.inputSchema as RJSFSchema;
  const form = useRef<Form>(null);
  const box = useRef<HTMLDivElement>(null);
  const [input, setInput] = useState(() => startOf(schema, lastArguments(server, tool.name)));
  const [text, setText] = useState(() => print(input));
  const [tab, setTab] = useState("form");
  /** What is wrong with the JSON, once it was tried. */
  const [problems, setProblems] = useState<string[]>([]);
  const read = useMemo(() => readArguments(text), [text]);
  const hasInput = !isEmpty(schema);

  const send = (value: Arguments): void => {
    setProblems([]);
    rememberArguments(server, tool, value);
    onRun(value);
  };
  const sendJson = (): void => {
    const errors = read.value ? checkValue(schema, read.value) : [{ path: [], message: read.problem }];
    if (read.value && errors.length === 0) {
      send(read.value);
      return;
    }
    setProblems(
      errors.map(({ path, message }) => (path.length > 0 ? `${path.join(".")}: ${message}` : message)),
    );
  };
  const run = (): void => {
    if (!hasInput) send({});
    else if (tab === "json") sendJson();
    else form.current?.submit();
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    // Nor is a button pressed that has the focus.
    event.stopPropagation();
    run();
  };

  return (
    <div className="tool-form" ref={box} onKeyDownCapture={keys}>
      {hasInput && (
        <Tabs className="tabs" selectedKey={tab} onSelectionChange={(key) => setTab(`${key}`)}>
          <TabList className="tab-list" aria-label="How to write the arguments">
            <Tab className="tab" id="form">
              Form
            </Tab>
            <Tab className="tab" id="json">
              JSON
            </Tab>
          </TabList>
          <TabPanel id="form" className="tab-panel">
            {read.problem !== undefined && (
              <p className="problem small">
                The JSON beside this form is wrong, and not in it. {read.problem}
              </p>
            )}
            <Form
              ref={form}
              schema={schema}
              validator={validator}
              templates={templates}
              widgets={widgets}
              formData={input}
              idPrefix="argument"
              experimental_defaultFormStateBehavior={DEFAULTS}
              useFallbackUiForUnsupportedType
              showErrorList={false}
              noHtml5Validate
              onError={() => focusFirstError(box.current)}
              onChange={({ formData }) => {
                const next = plain(formData);
                setInput(next);
                setText(print(next));
              }}
              onSubmit={({ formData }) => send(plain(formData))}
            >
              {/* In place of its own button: ours stands below, for both ways. */}
              {NO_BUTTON}
            </Form>
          </TabPanel>
          <TabPanel id="json" className="tab-panel">
            <JsonEditor
              text={text}
              problems={problems.length > 0 ? problems : read.problem === undefined ? [] : [read.problem]}
              onChange={(next) => {
                setText(next);
                setProblems([]);
                const { value } = readArguments(next);
                if (value) setInput(value);
              }}
            />
          </TabPanel>
        </Tabs>
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
          <Button
            className="button quiet"
            onPress={() => {
              const next = startOf(schema, undefined);
              setInput(next);
              setText(print(next));
              setProblems([]);
            }}
          >
            Reset
          </Button>
        )}
      </div>
    </div>
  );
}

/** Goes to what is wrong. */
function focusFirstError(box: HTMLElement | null): void {
  box?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid] button')?.focus();
}

/** The tool takes nothing: no property is named, and none is asked for in another way. */
const isEmpty = ({ properties = {}, additionalProperties, ...schema }: RJSFSchema): boolean =>
  Object.keys(properties).length === 0 &&
  (additionalProperties === undefined || typeof additionalProperties === "boolean") &&
  !["$ref", "anyOf", "oneOf", "allOf", "patternProperties", "if"].some((key) => key in schema) &&
  additionalProperties !== true;
