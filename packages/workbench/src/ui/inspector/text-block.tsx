/**
 * Scrollable text.
 *
 * @module
 */

/** A text in a region that is reachable by keyboard. */
export function TextBlock({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section className="in-text" tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  );
}
