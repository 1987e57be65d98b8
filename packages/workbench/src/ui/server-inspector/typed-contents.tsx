/**
 * Shows CSV as a table, HTML as a preview, and the facts of a PDF.
 *
 * @module
 */
import { useEffect, useMemo, useState } from "react";
import { readCsv } from "../../model/server/csv.js";
import { type PdfFacts, pdfFacts } from "../../model/server/pdf-facts.js";
import { previewOf } from "../../model/server/safe-html.js";
import { Choice } from "../choice.js";
import { ClippedText } from "../conversation/clipped-text.js";
import { count } from "../inspector/format.js";

const VIEWS = [
  { id: "view", label: "Preview" },
  { id: "source", label: "Source" },
];

/** A text of such a type, with a choice between preview and source. */
export function TypedText({ text, mimeType, label }: { text: string; mimeType: string; label: string }) {
  const [view, setView] = useState("view");
  const isHtml = /html/i.test(mimeType);
  return (
    <>
      <Choice label={`View of ${label}`} options={VIEWS} value={view} onChange={setView} />
      {view === "source" ? (
        <ClippedText text={text} className="block-text" />
      ) : isHtml ? (
        <HtmlPreview html={text} label={label} />
      ) : (
        <CsvView text={text} separator={/^text\/tab/i.test(mimeType) ? "\t" : ","} label={label} />
      )}
    </>
  );
}

function CsvView({ text, separator, label }: { text: string; separator: string; label: string }) {
  const { rows, isCut } = useMemo(() => readCsv(text, { separator }), [text, separator]);
  const [head = [], ...body] = rows;
  return (
    <>
      <div className="si-table">
        <table aria-label={`Table of ${label}`}>
          <thead>
            <tr>
              {head.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells have no names, and never change.
                <th key={column} scope="col">
                  {cell}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {body.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above.
              <tr key={index}>
                {row.map((cell, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: as above.
                  <td key={column}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="soft small">
        {isCut ? `The first ${count(body.length)} rows. Save it to see all.` : `${count(body.length)} rows`}
      </p>
    </>
  );
}

/** No scripts, no forms, no navigation: the sandbox allows nothing, and the document holds no address. */
function HtmlPreview({ html, label }: { html: string; label: string }) {
  const preview = useMemo(() => previewOf(html), [html]);
  return (
    <>
      <p className="soft small">Structure and text only: no styles, scripts, links or remote images.</p>
      <iframe className="si-preview" sandbox="" srcDoc={preview} title={`Preview of ${label}`} />
    </>
  );
}

/** Facts about a PDF. The browser's own viewer does not run in a sandbox, so it is saved and opened elsewhere. */
export function PdfSummary({ data }: { data: string }) {
  const [facts, setFacts] = useState<PdfFacts | "broken">();
  useEffect(() => {
    let isOn = true;
    void readFacts(data).then((read) => {
      if (isOn) setFacts(read ?? "broken");
    });
    return () => {
      isOn = false;
    };
  }, [data]);
  return (
    <p role="status">
      {facts === undefined
        ? "Reading the PDF…"
        : facts === "broken"
          ? "The server calls it a PDF, but it is none."
          : `PDF ${facts.version}, ${facts.pages === undefined ? "number of pages unknown" : facts.pages === 1 ? "1 page" : `${count(facts.pages)} pages`}. Save it to open it in a program of your own.`}
    </p>
  );
}

async function readFacts(data: string): Promise<PdfFacts | undefined> {
  try {
    return await pdfFacts(Uint8Array.from(atob(data), (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
