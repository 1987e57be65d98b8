/**
 * Copies a text.
 *
 * @module
 */
import { Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "react-aria-components";

/** Milliseconds for which the button confirms copying. */
const SAID = 1_500;

/** Props of a {@link CopyButton}. */
export interface CopyButtonProps {
  /** The text, or a function that makes it when it is needed. */
  text: string | (() => string);
  /** Names the text for screen readers. */
  label: string;
}

/** A button that says whether it has copied. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const [said, setSaid] = useState<string>();
  useEffect(() => {
    if (said === undefined) return undefined;
    const timer = setTimeout(() => setSaid(undefined), SAID);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : text());
      setSaid("Copied");
    } catch {
      // Without a secure origin there is no clipboard, and the user may refuse it.
      setSaid("Not copied: select the text");
    }
  };
  return (
    <Button className="button quiet" aria-label={said ?? label} onPress={() => void copy()}>
      {said ?? <Copy />}
    </Button>
  );
}
