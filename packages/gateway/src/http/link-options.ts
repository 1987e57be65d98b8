/**
 * Options of one-time links.
 *
 * @module
 */

/** Options of a link that signs a browser in. */
export interface LinkOptions {
  /**
   * Whether a web page may lead the browser here: a file that this process writes, so that the link appears in no
   * process list. Such links are valid for a minute, and only a program with access to this object can create them.
   * Any other link must be opened by the user: users can create links for themselves, and a page that led another
   * user's browser to one would sign that user in as its creator, who would then see everything that they do
   * (login CSRF).
   */
  readonly arrival?: boolean | undefined;
  /** Called when the link has signed a browser in. */
  readonly onused?: (() => void) | undefined;
  /** The fragment of the address that it leads to, such as `conversation=…`. */
  readonly fragment?: string | undefined;
}
