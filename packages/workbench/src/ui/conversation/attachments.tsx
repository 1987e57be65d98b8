/**
 * Files of a message that is being written.
 *
 * @module
 */
import type { ContentBlock } from "@vitrine/protocol";
import { Paperclip, X } from "lucide-react";
import { useRef, useState } from "react";
import { Button } from "react-aria-components";
import { ATTACHMENT_LIMITS, type Attachment, readAttachment } from "../../model/conversation/attachments.js";
import { visibleText } from "../../model/markdown/visible-text.js";
import { IconButton } from "../icon-button.js";
import { shrinkPicture } from "./shrink-picture.js";

/** The attachments of a message. */
export interface Attachments {
  readonly list: readonly Attachment[];
  /** Adds files; `onProblem` gets a sentence for each that cannot be added. */
  add(files: Iterable<File>): Promise<void>;
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
  const add = async (files: Iterable<File>): Promise<void> => {
    for (const file of files) {
      if (current.current.length >= ATTACHMENT_LIMITS.files) {
        onProblem(`A message has ${ATTACHMENT_LIMITS.files} files at most.`);
        return;
      }
      const taken = current.current.reduce((sum, { size }) => sum + size, 0);
      const read = await readAttachment(file, ATTACHMENT_LIMITS.size - taken, shrinkPicture);
      if ("problem" in read) onProblem(read.problem);
      else set([...current.current, { id: next.current++, name: file.name, ...read }]);
    }
  };
  const addBlocks = (blocks: readonly ContentBlock[]): void => {
    for (const block of blocks) {
      const size = JSON.stringify(block).length;
      const taken = current.current.reduce((sum, each) => sum + each.size, 0);
      if (taken + size > ATTACHMENT_LIMITS.size || current.current.length >= ATTACHMENT_LIMITS.files)
        onProblem("A part of the prompt is too large for a message, and is left out.");
      else set([...current.current, { id: next.current++, name: nameOf(block), size, block }]);
    }
  };
  return { list, add, addBlocks, set, remove: (id) => set(current.current.filter((each) => each.id !== id)) };
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
      <IconButton icon={Paperclip} name="Attach" tip="Attach files" onPress={() => input.current?.click()} />
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
