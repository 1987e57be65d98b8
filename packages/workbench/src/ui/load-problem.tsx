/**
 * The message about a part of the page that cannot be loaded.
 *
 * @module
 */
import { useEffect, useState } from "react";
import { Button } from "react-aria-components";
import { createPortal } from "react-dom";
import { messageOf } from "../model/messages/messages.js";
import { retryFailed } from "./loaded.js";

/** Props of a {@link LoadProblem}. */
export interface LoadProblemProps {
  /** The name of the part, to start a sentence. */
  name: string;
  problem: unknown;
}

/** In the corner of the page, above dialogs: the part itself may have no place. */
export function LoadProblem({ name, problem }: LoadProblemProps) {
  const [reason, setReason] = useState<string>();
  useEffect(() => {
    let isShown = true;
    void reasonOf(problem).then((found) => isShown && setReason(found));
    return () => {
      isShown = false;
    };
  }, [problem]);
  if (reason === undefined) return null;
  const retry = (): void => {
    retryStyles();
    // Several may have failed for the same reason, and their messages cover each other.
    retryFailed();
  };
  return createPortal(
    // The attribute keeps it in reach of keyboards and screen readers while a dialog is open.
    <div className="load-problem problem" role="alert" data-react-aria-top-layer="true">
      <p>
        {name} cannot be loaded: {reason}
      </p>
      <div className="load-buttons">
        <Button className="button" onPress={retry}>
          Try again
        </Button>
        <Button className="button primary" onPress={() => location.reload()}>
          Reload the page
        </Button>
      </div>
    </div>,
    document.body,
  );
}

/** Asks the gateway for the page: after an update, it has other scripts than this one. */
async function reasonOf(problem: unknown): Promise<string> {
  const script = document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src ?? "";
  try {
    const answer = await fetch("/", { cache: "no-store" });
    if (answer.status === 401) return "this browser is no longer signed in.";
    const page = await answer.text();
    if (answer.ok && !page.includes(new URL(script).pathname))
      return "Vitrine was updated after this page was opened. Reload the page; the conversation stays.";
    return `${messageOf(problem)}.`;
  } catch {
    return "the gateway does not answer.";
  }
}

/** A style sheet that could not be loaded is not asked for again by the script that needs it. */
function retryStyles(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]'))
    if (!link.sheet) link.replaceWith(link.cloneNode());
}
