/**
 * Content of a tool's answer or an app's message, if there is no app. It comes from the server: text, never
 * markup.
 *
 * @module
 */
import { fileName, warnedName } from "@vitrine/guard";
import type { ContentBlock, ResourceContents } from "@vitrine/protocol";
import { useState } from "react";
import { Button } from "react-aria-components";
import { messageOf } from "../../model/messages/messages.js";
import { AskingLink } from "../markdown/asking-link.js";
import { saveFile } from "../save-file.js";
import { ClippedText } from "./clipped-text.js";
import { FormattedText } from "./formatted-text.js";

/** Props of {@link ContentBlocks}. */
export interface ContentBlocksProps {
  content: readonly ContentBlock[];
  /** Whether text is shown as it is: it is neither Markdown nor JSON. */
  isPlain?: boolean | undefined;
}

/** A list of content blocks. */
export function ContentBlocks({ content, isPlain = false }: ContentBlocksProps) {
  // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no names, and never change.
  return content.map((block, index) => <Block key={index} block={block} isPlain={isPlain} />);
}

function Block({ block, isPlain }: { block: ContentBlock; isPlain: boolean }) {
  if (block.type === "text")
    return isPlain ? (
      <ClippedText text={block.text} className="block-text" />
    ) : (
      <FormattedText text={block.text} />
    );
  if (block.type === "image" || block.type === "audio")
    return <Media data={block.data} type={block.mimeType} name={block.type} />;
  if (block.type === "resource") return <Resource resource={block.resource} />;
  const { uri, name, title, description, mimeType } = block;
  return (
    <div className="resource">
      <Address uri={uri} text={title ?? name} />
      <span className="soft small mono">{[uri, mimeType].filter(Boolean).join(" · ")}</span>
      {description && <p className="soft small">{description}</p>}
    </div>
  );
}

/** A link that asks, if the browser may open it; otherwise text. */
const Address = ({ uri, text }: { uri: string; text: string }) =>
  /^https?:\/\//i.test(uri) ? <AskingLink address={uri}>{text}</AskingLink> : <strong>{text}</strong>;

function Resource({ resource }: { resource: ResourceContents }) {
  const { uri, mimeType = "" } = resource;
  return (
    <div className="resource">
      <span className="soft small mono">{[uri, mimeType].filter(Boolean).join(" · ")}</span>
      {"text" in resource ? (
        <FormattedText text={resource.text} mimeType={mimeType} />
      ) : (
        <Media data={resource.blob} type={mimeType} name={fileName({ resource })} />
      )}
    </div>
  );
}

/** An image or audio; other media can be saved. */
function Media({ data, type, name }: { data: string; type: string; name: string }) {
  const [isBroken, setBroken] = useState(false);
  const source = `data:${type};base64,${data}`;
  if (/^image\/[\w.+-]+$/.test(type) && !isBroken)
    return (
      <img className="picture" src={source} alt={`${name} of the result`} onError={() => setBroken(true)} />
    );
  if (/^audio\/[\w.+-]+$/.test(type) && !isBroken)
    // biome-ignore lint/a11y/useMediaCaption: a server sends none.
    return <audio controls src={source} aria-label={name} onError={() => setBroken(true)} />;
  return (
    <p>
      {isBroken ? "The browser cannot show this: " : ""}
      {warnedName(name)}, {type || "unknown type"}, {Math.floor((data.length * 3) / 4).toLocaleString("en")}{" "}
      bytes <SaveButton data={data} type={type} name={name} />
    </p>
  );
}

function SaveButton({ data, type, name }: { data: string; type: string; name: string }) {
  const [problem, setProblem] = useState<string>();
  const save = (): void => {
    try {
      const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
      // Never as a page of this origin, whatever type the server claims.
      saveFile(name, bytes, "application/octet-stream");
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <>
      <Button
        className="button"
        onPress={save}
        aria-label={`Save ${warnedName(name)}, ${type || "unknown type"}`}
      >
        Save
      </Button>
      {problem !== undefined && <span className="bad-text"> It cannot be read: {problem}</span>}
    </>
  );
}
