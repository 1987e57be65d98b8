/**
 * The input field for messages and commands.
 *
 * @module
 */
import { ArrowUp, Library, Square } from "lucide-react";
import {
  type FocusEvent,
  type KeyboardEvent,
  memo,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import { Button, TextArea } from "react-aria-components";
import { offeredResources } from "../../model/conversation/server-resources.js";
import { messageOf } from "../../model/messages/messages.js";
import type { Workbench } from "../../model/workbench.js";
import { rememberArguments } from "../form/arguments-memory.js";
import { IconButton } from "../icon-button.js";
import { Loaded, useLoaded } from "../loaded.js";
import { ModelChoice } from "../models/model-choice.js";
import type { ChosenTool } from "../servers/servers-pane.js";
import { useObservable, useObserved } from "../use-observable.js";
import { answeringModel } from "./answering-model.js";
import { AttachButton, AttachmentChips, useAttachments } from "./attachments.js";
import { ClearButton } from "./clear-button.js";
import {
  argumentsHint,
  type CallableTool,
  type CheckArguments,
  callableTools,
  completed,
  completions,
  isAddressed,
  isCommand,
  namedTool,
  readCommand,
} from "./command.js";
import "./composer.css";
import { part } from "../part.js";
import { namedPrompt, type OfferedPrompt, offeredPrompts, promptCompletions } from "./prompt-command.js";
import { optionId, shownTools, ToolMenu } from "./tool-menu.js";

const WAITING =
  "Some servers have not listed their tools yet: the tool is called as soon as it is clear which one you mean. To call it now, write its server's name before it.";
const UNCHECKED =
  "The tool is not called: the part of this page that checks arguments could not be loaded. Enter tries again.";
const EDITING =
  "When you send it, the conversation continues from here. What followed stays as another version.";
const REPLACING = "When you send it, your message and the failed answer are replaced.";

/** How an agent receives messages. */
const agentHelp = (agents: readonly string[]): string =>
  agents.length === 0
    ? "No agent is connected. Connect one first: it reads only what you write after that."
    : `${agents.join(", ")} reads what you write here with the result of its next call, or at once while it waits in app_context.`;

/** Loaded when a command is written. */
const checker = new Loaded<CheckArguments>(async () => (await import("../form/check-value.js")).checkValue);
/** Loaded when a prompt is chosen. */
const PromptDialog = part("The prompt", async () => (await import("./prompt-dialog.js")).PromptDialog);

/** Loaded when the user wants a resource. */
const ResourceDialog = part("The list", async () => (await import("./resource-dialog.js")).ResourceDialog);

/** The number of tools and prompts in the menu. */
const countsOf = (tools: number, prompts: number): string =>
  `${tools === 1 ? "1 tool" : `${tools} tools`}${prompts === 0 ? "" : prompts === 1 ? ", 1 prompt" : `, ${prompts} prompts`}.`;

/** Maximum lines of the field, in browsers where it does not grow by itself. */
const MOST_LINES = 8;

/** Props of a {@link Composer}. */
export interface ComposerProps {
  workbench: Workbench;
  /** A tool needs its form to be filled in first. */
  onForm: (tool: ChosenTool) => void;
}

/** The field at the bottom of the conversation. */
export const Composer = memo(({ workbench, onForm }: ComposerProps) => {
  const { conversation, servers, models } = workbench;
  const attachments = useAttachments((problem) => setProblem(problem));
  const isRunning = useObserved(conversation, (each) => each.isRunning);
  const editing = useObserved(conversation, (each) => each.editing);
  const agents = useObserved(conversation, (each) => each.agents);
  const chosen = useObserved(conversation, ({ settings }) => settings.model);
  useObservable(servers);
  useObservable(models);
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  /** A command that was sent before its tool was known. */
  const [early, setEarly] = useState<string>();
  /** The text for which the user closed the menu, and the selected position in it. */
  const [closedFor, setClosedFor] = useState<string>();
  const [moved, setMoved] = useState<{ text: string; place: number }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is made anew each time; its version says whether it changed.
  const tools = useMemo(() => callableTools(servers.list), [servers.version]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above.
  const names = useMemo(() => servers.list.map(({ summary }) => summary.name), [servers.version]);
  const named = useMemo(() => namedTool(text, tools, names), [text, tools, names]);
  const found = useMemo(() => completions(text, tools, names), [text, tools, names]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above.
  const prompts = useMemo(() => offeredPrompts(servers.list), [servers.version]);
  const foundPrompts = useMemo(
    () => (named && /\s$/.test(text) ? [] : promptCompletions(text, prompts)),
    [text, prompts, named],
  );
  /** The prompt whose arguments the user fills in. */
  const [prompt, setPrompt] = useState<OfferedPrompt>();
  /** Whether the user chooses a resource of a server. */
  const [isChoosing, setChoosing] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above.
  const hasResources = useMemo(() => offeredResources(servers.list).length > 0, [servers.version]);
  const isOpen = found.length + foundPrompts.length > 0 && closedFor !== text;
  // Enter calls an exactly named tool, unless another one is selected.
  const active = moved?.text === text ? moved.place : named ? -1 : 0;

  const check = useLoaded(checker, isCommand(text));

  // Puts the edited message into the field.
  useEffect(() => {
    if (!editing) return;
    setText(editing.text);
    area.current?.focus();
  }, [editing]);

  const write = (next: string): void => {
    setText(next);
    setProblem(undefined);
  };
  const choose = (tool: CallableTool): void => {
    write(completed(tool));
    area.current?.focus();
  };
  const choosePrompt = (offered: OfferedPrompt): void => {
    write("");
    setPrompt(offered);
  };
  const say = async (said: string): Promise<void> => {
    write("");
    const files = attachments.list;
    attachments.set([]);
    const blocks = files.map(({ block }) => block);
    try {
      await (editing ? conversation.sendEdited(said, blocks) : conversation.send(said, blocks));
    } catch (error) {
      setProblem(`Not sent: ${messageOf(error)}`);
      attachments.set([...files, ...attachments.list]);
      // Keeps both the failed message and text typed since.
      setText((since) => (since === "" ? said : `${said}\n${since}`));
    }
  };
  const command = (): void => {
    const ofName = named ? undefined : namedPrompt(text, prompts);
    if (ofName) {
      choosePrompt(ofName);
      return;
    }
    // Sent before the code that checks it was there.
    if (!check) {
      setEarly(text);
      void checker.prepare();
      return;
    }
    const read = readCommand(text, tools, names, check);
    setEarly(undefined);
    // A server that has not answered yet may have the tool, or one of the same name.
    const isUnclear = read.kind === "problem" ? read.isUnknown : !isAddressed(text, names);
    if (isUnclear && !servers.isSettled) {
      setEarly(text);
      setProblem(WAITING);
      return;
    }
    if (read.kind === "problem") {
      setProblem(read.problem);
      if (read.at !== undefined) area.current?.setSelectionRange(read.at, read.at);
      return;
    }
    const { server, facts } = read.tool;
    write("");
    if (read.kind === "form") {
      onForm({ server, tool: facts.tool.name });
      return;
    }
    rememberArguments(servers.keyOf(server), facts.tool, read.input);
    conversation.call(server, facts.tool.name, read.input, facts.hasUi);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: tried again when the list of tools changes, and not with each letter.
  useEffect(() => {
    if (early !== undefined && early === text) command();
  }, [servers.version, check]);
  const send = (): void => {
    // Not the button, which becomes disabled.
    area.current?.focus();
    if (isCommand(text)) command();
    else if (text.trim() !== "" || attachments.list.length > 0) void say(text.trim());
  };

  const keys = (event: KeyboardEvent): void => {
    const { key, shiftKey, nativeEvent } = event;
    // This Enter ends a composition of an input method.
    if (nativeEvent.isComposing) return;
    const toolCount = shownTools(found);
    const chosen = isOpen && !shiftKey ? found.slice(0, toolCount)[active] : undefined;
    const chosenPrompt = isOpen && !shiftKey ? foundPrompts[active - toolCount] : undefined;
    const count = toolCount + shownTools(foundPrompts);
    if (isOpen && (key === "ArrowDown" || key === "ArrowUp")) {
      const place = key === "ArrowDown" ? active + 1 : Math.max(active, 0) - 1;
      setMoved({ text, place: (place + count) % count });
    } else if (isOpen && key === "Escape") {
      setClosedFor(text);
      area.current?.focus();
    } else if (chosen && (key === "Enter" || key === "Tab")) choose(chosen);
    else if (chosenPrompt && (key === "Enter" || key === "Tab")) choosePrompt(chosenPrompt);
    else if (key === "Enter" && !shiftKey) send();
    else return;
    event.preventDefault();
  };

  const left = ({ relatedTarget }: FocusEvent): void => {
    if (!box.current?.contains(relatedTarget)) setClosedFor(text);
  };
  const hint =
    named && check && isCommand(text) && !text.includes("{") ? argumentsHint(named, check) : undefined;
  const about =
    problem ??
    (early === text && checker.problem !== undefined ? UNCHECKED : undefined) ??
    hint ??
    (editing
      ? editing.answer
        ? REPLACING
        : EDITING
      : isOpen
        ? countsOf(found.length, foundPrompts.length)
        : "");
  const model = agents ? agents.join(", ") || "the agent" : answeringModel(models.state, chosen);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files can be dropped on it, and chosen by a button.
    <div
      className="composer"
      ref={box}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes("Files")) event.preventDefault();
      }}
      onDrop={(event) => {
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        void attachments.add([...event.dataTransfer.files]);
      }}
    >
      {isOpen && (
        <ToolMenu
          id={`${id}-menu`}
          tools={found}
          prompts={foundPrompts}
          active={active}
          onChoose={choose}
          onPrompt={choosePrompt}
          onKeyDown={keys}
          onBlur={left}
        />
      )}
      {prompt && (
        <PromptDialog
          workbench={workbench}
          offered={prompt}
          onDone={(content) => {
            setPrompt(undefined);
            if (!content) return;
            write(content.text);
            attachments.addBlocks(content.blocks);
            area.current?.focus();
          }}
        />
      )}
      {isChoosing && (
        <ResourceDialog
          workbench={workbench}
          onDone={(contents) => {
            setChoosing(false);
            if (contents) void attachments.addContents(contents);
            area.current?.focus();
          }}
        />
      )}
      <div className="composer-box">
        <AttachmentChips attachments={attachments} />
        <TextArea
          ref={area}
          onPaste={(event) => {
            const { files } = event.clipboardData;
            if (files.length === 0) return;
            event.preventDefault();
            void attachments.add([...files]);
          }}
          className="composer-text"
          aria-label="Message"
          aria-describedby={`${id}-about`}
          aria-invalid={problem !== undefined}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          {...(isOpen && { "aria-controls": `${id}-menu` })}
          {...(isOpen && active >= 0 && { "aria-activedescendant": optionId(`${id}-menu`, active) })}
          placeholder={
            model ? `Message ${model}, or / for a tool` : "/ calls a tool. Choose a model to talk."
          }
          enterKeyHint="send"
          rows={Math.min(MOST_LINES, text.split("\n").length)}
          value={text}
          onChange={({ target }) => write(target.value)}
          onKeyDown={keys}
          onBlur={left}
        />
        <div
          className="composer-row"
          data-quiet={about === "" || undefined}
          data-running={isRunning || undefined}
        >
          <AttachButton attachments={attachments} />
          {hasResources && (
            <IconButton icon={Library} name="Attach a resource" onPress={() => setChoosing(true)} />
          )}
          {!agents && <ModelChoice workbench={workbench} />}
          <p
            id={`${id}-about`}
            className={problem === undefined ? "soft small" : "small bad-text"}
            role="status"
          >
            {about}
          </p>
          {editing ? (
            <Button
              className="button"
              onPress={() => {
                conversation.edit(undefined);
                write("");
              }}
            >
              Cancel edit
            </Button>
          ) : (
            <ClearButton conversation={conversation} />
          )}
          {isRunning && (
            <IconButton
              icon={Square}
              name="Stop"
              className="button icon"
              onPress={() => void conversation.stop()}
            />
          )}
          <IconButton
            icon={ArrowUp}
            name="Send"
            className="button primary icon"
            isDisabled={text.trim() === "" && attachments.list.length === 0}
            onPress={send}
          />
        </div>
      </div>
      {agents && <p className="soft small composer-help">{agentHelp(agents)}</p>}
    </div>
  );
});
