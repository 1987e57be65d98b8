/**
 * A link that asks before it opens: its text comes from a model, a server or an app.
 *
 * @module
 */
import { type ReactNode, useRef, useState } from "react";
import { Link } from "react-aria-components";
import { linkTarget } from "../../model/markdown/link-target.js";
import { part } from "../part.js";

const LinkQuestion = part(
  "The question about the link",
  async () => (await import("./link-question.js")).LinkQuestion,
);

/** Props of an {@link AskingLink}. */
export interface AskingLinkProps {
  address: string;
  /** Whether the address is that of a picture. It is not loaded: a request can carry data to its server. */
  isPicture?: boolean | undefined;
  children: ReactNode;
}

/** A link without an address of its own, so that no key, drag or second mouse button opens it. */
export function AskingLink({ address, isPicture = false, children }: AskingLinkProps) {
  const box = useRef<HTMLSpanElement>(null);
  /** The text of the link when it was pressed. */
  const [asked, setAsked] = useState<string>();
  const target = linkTarget(address);
  if (!target)
    return (
      <span>
        {children}
        {isPicture && " (a picture that is not loaded)"}
      </span>
    );
  return (
    <>
      <Link
        className="asking-link"
        onHoverStart={LinkQuestion.prepare}
        onPress={() => setAsked(box.current?.textContent ?? "")}
      >
        <bdi ref={box}>{children}</bdi>
      </Link>
      {isPicture && <span className="soft small"> (picture of {target.host}, not loaded)</span>}
      {asked !== undefined && (
        <LinkQuestion target={target} text={asked} onDone={() => setAsked(undefined)} />
      )}
    </>
  );
}
