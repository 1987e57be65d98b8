/**
 * A conversation in the list, with its actions.
 *
 * @module
 */

import type { ConversationSummary } from "@vitrine/wire";
import { Ellipsis } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { Button, Input, TextField } from "react-aria-components";
import { messageOf } from "../../model/messages/messages.js";
import type { Workbench } from "../../model/workbench.js";
import { clock } from "../inspector/format.js";
import { MenuButton } from "../menu-button.js";
import { fileName, saveFile } from "../save-file.js";
import { Marked } from "./marked.js";

type ExportFormat = "copy" | "md" | "json" | "html";

const MORE = [
  { id: "rename", label: "Rename…" },
  { id: "copy", label: "Copy as Markdown" },
  { id: "md", label: "Export as Markdown" },
  { id: "json", label: "Export as JSON" },
  { id: "html", label: "Export as a page with apps" },
  { id: "delete", label: "Delete…" },
];

/** Props of a {@link ConversationRow}. */
export interface ConversationRowProps {
  workbench: Workbench;
  summary: ConversationSummary;
  /** Whether it is the current one. */
  isCurrent: boolean;
  /** Called with a problem, or undefined when it is resolved. */
  onProblem: (problem: string | undefined) => void;
  onOpen: () => void;
}

/** A row of the list, with inline renaming and confirmation of deletion. */
export function ConversationRow(props: ConversationRowProps) {
  const { workbench, summary, isCurrent, onProblem, onOpen } = props;
  const { conversations } = workbench;
  const { id, changedAt, isRunning, match } = summary;
  const { search } = conversations;
  const title = summary.title || "Untitled";
  const [doing, setDoing] = useState<"rename" | "delete">();
  const done = (): void => setDoing(undefined);
  const save = async (format: ExportFormat): Promise<void> => {
    onProblem(undefined);
    try {
      if (format === "copy") await copyLater(conversations.exportMarkdown(id));
      else if (format === "md")
        saveFile(`${fileName(title)}.md`, await conversations.exportMarkdown(id), "text/markdown");
      else if (format === "html")
        saveFile(`${fileName(title)}.html`, await conversations.exportHtml(id), "text/html");
      else saveFile(`${fileName(title)}.json`, await conversations.exportText(id), "application/json");
    } catch (error) {
      onProblem(`It could not be ${format === "copy" ? "copied" : "exported"}: ${messageOf(error)}`);
    }
  };
  if (doing === "rename")
    return (
      <li className="conversation-row">
        <Rename
          title={summary.title}
          onCancel={done}
          onRename={(next) => {
            done();
            void conversations.rename(id, next);
          }}
        />
      </li>
    );
  if (doing === "delete")
    return (
      <li className="conversation-row">
        <p className="conversation-question" role="alert">
          Delete “{title}” for good?
        </p>
        <Button className="button" onPress={done} autoFocus>
          Keep
        </Button>
        <Button
          className="button primary"
          onPress={() => {
            done();
            void conversations.delete(id);
          }}
        >
          Delete
        </Button>
      </li>
    );
  return (
    <li className="conversation-row" aria-current={isCurrent || undefined}>
      <Button className="button quiet conversation-open" onPress={onOpen}>
        <span className="conversation-name">
          <Marked text={title} search={search} />
        </span>
        {match && (
          <span className="conversation-match small">
            <span className="soft">{match.who}: </span>
            <Marked text={match.text} search={search} />
          </span>
        )}
        <span className="soft small">
          {clock(changedAt)}
          {isCurrent && " · open"}
          {isRunning && " · running"}
        </span>
      </Button>
      <MenuButton
        name={`More about ${title}`}
        entries={MORE}
        onAction={(id) =>
          id === "copy" || id === "md" || id === "json" || id === "html"
            ? void save(id)
            : setDoing(id === "rename" ? "rename" : "delete")
        }
      >
        <Ellipsis />
      </MenuButton>
    </li>
  );
}

/** Copies a text that is not there yet. The browser accepts it only if the copying starts with the click. */
const copyLater = (text: Promise<string>): Promise<void> =>
  navigator.clipboard.write([
    new ClipboardItem({ "text/plain": text.then((each) => new Blob([each], { type: "text/plain" })) }),
  ]);

interface RenameProps {
  title: string;
  onRename: (title: string) => void;
  onCancel: () => void;
}

function Rename({ title, onRename, onCancel }: RenameProps) {
  const [text, setText] = useState(title);
  const isEmpty = text.trim() === "";
  const keys = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && !event.nativeEvent.isComposing && !isEmpty) onRename(text.trim());
    else if (event.key === "Escape") {
      // Cancels the renaming without closing the list.
      event.stopPropagation();
      onCancel();
    }
  };
  return (
    <>
      <TextField
        className="conversation-rename"
        aria-label="Title of the conversation"
        value={text}
        onChange={setText}
        autoFocus
        onKeyDown={keys}
      >
        <Input className="input" />
      </TextField>
      <Button className="button" onPress={onCancel}>
        Cancel
      </Button>
      <Button className="button primary" isDisabled={isEmpty} onPress={() => onRename(text.trim())}>
        Rename
      </Button>
    </>
  );
}
