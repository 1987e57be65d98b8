/**
 * Shows the contents of a resource, by their MIME type.
 *
 * @module
 */
import { fileName } from "@vitrine/guard";
import type { ResourceContents } from "@vitrine/protocol";
import { lazy, Suspense } from "react";
import { Button } from "react-aria-components";
import { ContentBlocks } from "../conversation/content-blocks.js";
import { CopyButton } from "../inspector/fields.js";
import { count } from "../inspector/format.js";
import { Json } from "../inspector/json.js";
import { saveFile } from "../save-file.js";

const TypedText = lazy(async () => ({ default: (await import("./typed-contents.js")).TypedText }));
const PdfSummary = lazy(async () => ({ default: (await import("./typed-contents.js")).PdfSummary }));

/** Types that have a view of their own. */
const VIEWED = /^(text\/(csv|tab-separated-values|html)|application\/xhtml\+xml)\b/i;
const PDF = /^application\/pdf\b/i;
const JSON_TYPE = /^(application|text)\/([\w.-]+\+)?json\b/;

/** The contents of one address. */
export function ResourceView({ contents }: { contents: ResourceContents }) {
  const { uri, mimeType = "" } = contents;
  const text = "text" in contents ? contents.text : undefined;
  const value = text !== undefined && JSON_TYPE.test(mimeType) ? parsed(text) : undefined;
  return (
    <article className="si-contents" aria-label={`Contents of ${uri}`}>
      <header className="si-row">
        <span className="mono small si-grow">{uri}</span>
        <span className="badge">{mimeType || "no type"}</span>
        {text !== undefined && (
          <>
            <span className="soft small">{count(text.length)} characters</span>
            <CopyButton text={() => text} />
            <Button
              className="button"
              onPress={() => saveFile(fileName({ resource: contents }), text, "application/octet-stream")}
            >
              Save
            </Button>
          </>
        )}
      </header>
      {value !== undefined ? (
        <Json value={value} label={`JSON of ${uri}`} />
      ) : text !== undefined && VIEWED.test(mimeType) ? (
        <Suspense fallback={<p className="soft small">Loading…</p>}>
          <TypedText text={text} mimeType={mimeType} label={uri} />
        </Suspense>
      ) : (
        <ContentBlocks
          content={[text === undefined ? { type: "resource", resource: contents } : { type: "text", text }]}
        />
      )}
      {"blob" in contents && PDF.test(mimeType) && (
        <Suspense>
          <PdfSummary data={contents.blob} />
        </Suspense>
      )}
    </article>
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
