/**
 * Text of any length.
 *
 * @module
 */
import { useState } from "react";
import { Button } from "react-aria-components";

/** Characters shown at first, and at most: no page can draw a hundred megabytes. */
const FIRST = 8_000;
const MOST = 1_000_000;

/** Text, clipped if it is long. */
export function ClippedText({ text, className = "" }: { text: string; className?: string }) {
  const [shown, setShown] = useState(FIRST);
  const rest = text.length - shown;
  const count = (characters: number): string => characters.toLocaleString("en");
  return (
    <>
      <pre className={className}>{text.slice(0, shown)}</pre>
      {rest > 0 && (
        <p className="soft small">
          {count(rest)} more characters.{" "}
          {shown < MOST && (
            <Button className="button quiet" onPress={() => setShown(MOST)}>
              Show {text.length > MOST ? `the first ${count(MOST)}` : "all"}
            </Button>
          )}
        </p>
      )}
    </>
  );
}
