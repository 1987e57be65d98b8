/**
 * A list of a server, fetched page by page.
 *
 * @module
 */
import { useState } from "react";
import { Button } from "react-aria-components";
import type { InspectedServer } from "../../model/server/inspected-server.js";
import { type ListPage, nextPage, type PagedList } from "../../model/server/list-pages.js";
import { Fold } from "../fold.js";
import { count, duration, size } from "../inspector/format.js";

/** Names of a page that are shown. */
const MOST_NAMES = 200;
/** Pages that are kept: a list may have no end. */
const MOST_PAGES = 100;

interface ListPagesProps {
  inspected: InspectedServer;
  list: PagedList;
}

/** A disclosure with the pages. */
export const ListPages = (props: ListPagesProps) => (
  <Fold name={`Page by page: ${props.list}`}>
    <Pages {...props} />
  </Fold>
);

function Pages({ inspected, list }: ListPagesProps) {
  const [pages, setPages] = useState<readonly ListPage[]>([]);
  const [isFetching, setFetching] = useState(false);
  const last = pages.at(-1);
  const isOver = last !== undefined && (last.next === undefined || pages.length >= MOST_PAGES);
  const fetchAfter = async (known: readonly ListPage[]): Promise<void> => {
    setFetching(true);
    const page = await nextPage(list, known, (method, params) => inspected.send(method, params));
    setPages([...known, page]);
    setFetching(false);
  };
  return (
    <section className="in-section" aria-label={`Pages of ${list}`}>
      <div className="si-row">
        <Button className="button" isDisabled={isFetching || isOver} onPress={() => void fetchAfter(pages)}>
          {last ? "Fetch the next page" : "Fetch the first page"}
        </Button>
        {last && (
          <Button className="button quiet" isDisabled={isFetching} onPress={() => void fetchAfter([])}>
            Start again
          </Button>
        )}
        <span role="status" className="soft small">
          {isFetching ? "Fetching…" : summaryOf(pages)}
        </span>
      </div>
      <ol className="si-list">
        {pages.map((page, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pages are in order, and never change.
          <li key={index}>
            <Page number={index + 1} {...page} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function summaryOf(pages: readonly ListPage[]): string {
  if (pages.length === 0) return "";
  const entries = pages.reduce((sum, { names }) => sum + names.length, 0);
  const isLast = pages.at(-1)?.next === undefined && pages.at(-1)?.problem === undefined;
  const fetched = `${count(pages.length)} ${pages.length === 1 ? "page" : "pages"}, ${count(entries)} entries`;
  return isLast ? `${fetched}. This is all.` : `${fetched} so far.`;
}

function Page({ number, ...page }: ListPage & { number: number }) {
  const { cursor, names, next, findings, problem } = page;
  return (
    <>
      <p>
        Page {number}{" "}
        <span className="soft small">
          {count(names.length)} entries, {duration(page.duration)}, {size(page.size)}
        </span>
      </p>
      <dl className="si-facts">
        <Cursor name="Cursor sent" value={cursor} none="none: the first page" />
        <Cursor name="Next cursor" value={next} none="none: the last page" />
      </dl>
      {problem !== undefined && (
        <p className="problem small" role="alert">
          {problem}
        </p>
      )}
      {findings.map((finding) => (
        <p key={finding} className="problem small">
          {finding}
        </p>
      ))}
      {names.length > 0 && (
        <p className="mono small">
          {names.slice(0, MOST_NAMES).join(", ")}
          {names.length > MOST_NAMES && ` and ${count(names.length - MOST_NAMES)} more`}
        </p>
      )}
    </>
  );
}

const Cursor = ({ name, value, none }: { name: string; value: string | undefined; none: string }) => (
  <div>
    <dt className="soft small">{name}</dt>
    <dd className={value === undefined ? "soft" : "mono"}>{value ?? none}</dd>
  </div>
);
