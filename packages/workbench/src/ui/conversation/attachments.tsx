/**
 * Files of a message that is being written.
 *
 * @module
 */
import type { ContentBlock, ResourceContents } from "@vitrine/protocol";
import { Paperclip, X } from "lucide-react";
import { useRef, useState } from "react";
import { Button } from "react-aria-components";
import { ATTACHMENT_LIMITS, type Attachment } from "../../model/conversation/attachment.js";
import { visibleText } from "../../model/markdown/visible-text.js";
import { messageOf } from "../../model/messages/messages.js";
import { IconButton } from "../icon-button.js";
import { Loaded } from "../loaded.js";

type Reader = typeof import("./attachment-reader.js");

/** Loaded when a user adds the first attachment. */
const READER = new Loaded<Reader>(() => import("./attachment-reader.js"), "late");

/** The attachments of a message. */
export interface Attachments {
  readonly list: readonly Attachment[];
  /** Adds files; `onProblem` gets a sentence for each that cannot be added. */
  add(files: Iterable<File>): Promise<void>;
  /** Adds contents of a server's resource, in the same way. */
  addContents(contents: Iterable<ResourceContents>): Promise<void>;
  /** Adds content of a server's prompt. */
  addBlocks(blocks: readonly ContentBlock[]): void;
  remove(id: number): void;
  set(list: readonly Attachment[]): void;
}

/** Keeps the attachments of a message, within its limits. */
export function useAttachments(onProblem: (problem: string) => void): Attachments {
  const [list, setList] = useState<readonly Attachment[]>([]);
  // Files that arrive together count before the list is drawn.
  const current = useRef<readonly Attachment[]>([]);
  const next = useRef(0);
  const set = (changed: readonly Attachment[]): void => {
    current.current = changed;
    setList(changed);
  };
  const room = (): number =>
    current.current.reduce<number>((left, { size }) => left - size, ATTACHMENT_LIMITS.size);
  const addAll = async <T,>(
    all: Iterable<T>,
    nameOf: (each: T) => string,
    read: (reader: Reader, each: T) => ReturnType<Reader["readAttachment"]>,
  ): Promise<void> => {
    let reader: Reader;
    try {
      reader = await READER.load();
    } catch (error) {
      onProblem(`Nothing can be attached now: ${messageOf(error)}. Try again, or reload the page.`);
      return;
    }
    for (const each of all) {
      if (current.current.length >= ATTACHMENT_LIMITS.files) {
        onProblem(`A message has ${ATTACHMENT_LIMITS.files} files at most.`);
        return;
      }
      const found = await read(reader, each);
      if ("problem" in found) onProblem(found.problem);
      else set([...current.current, { id: next.current++, name: nameOf(each), ...found }]);
    }
  };
  const add = (files: Iterable<File>): Promise<void> =>
    addAll(
      files,
      ({ name }) => name,
      (reader, file) => reader.readAttachment(file, room(), reader.shrinkPicture),
    );
  const addContents = (contents: Iterable<ResourceContents>): Promise<void> =>
    addAll(
      contents,
      ({ uri }) => uri,
      (reader, each) => reader.attachedContents(each, room(), reader.shrinkPicture),
    );
  const addBlocks = (blocks: readonly ContentBlock[]): void => {
    for (const block of blocks) {
      const size = JSON.stringify(block).length;
      if (size > room() || current.current.length >= ATTACHMENT_LIMITS.files)
        onProblem("A part of the prompt is too large for a message, and is left out.");
      else set([...current.current, { id: next.current++, name: nameOf(block), size, block }]);
    }
  };
  return {
    list,
    add,
    addContents,
    addBlocks,
    set,
    remove: (id) => set(current.current.filter((each) => each.id !== id)),
  };
}

function nameOf(block: ContentBlock): string {
  if (block.type === "resource") return block.resource.uri;
  return block.type === "resource_link" ? block.name : block.type;
}

/** The attachments, with buttons to remove them. */
export function AttachmentChips({ attachments }: { attachments: Attachments }) {
  if (attachments.list.length === 0) return null;
  return (
    <ul className="attachments" aria-label="Attachments">
      {attachments.list.map(({ id, name, block }) => (
        <li key={id} className="attachment">
          {block.type === "image" && (
            <img className="thumbnail" src={`data:${block.mimeType};base64,${block.data}`} alt="" />
          )}
          <span className="small">{visibleText(name)}</span>
          <Button
            className="button quiet icon"
            aria-label={`Remove ${visibleText(name)}`}
            onPress={() => attachments.remove(id)}
          >
            <X />
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** Chooses files. */
export function AttachButton({ attachments }: { attachments: Attachments }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton icon={Paperclip} name="Attach files" onPress={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={({ target }) => {
          void attachments.add([...(target.files ?? [])]);
          // The same file can be chosen again.
          target.value = "";
        }}
      />
    </>
  );
}
