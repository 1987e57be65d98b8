/**
 * Scrollable text.
 *
 * @module
 */

/** A text in a region that is reachable by keyboard. */
export function TextBlock({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
    <section className="in-text" tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  );
}
