/**
 * The event stream on which a Streamable HTTP server of the first generation sends its own messages.
 *
 * @module
 */

/** Options of {@link NoticeStream}. */
export interface NoticeStreamOptions {
  /** Opens the stream once more. */
  open(): Promise<void>;
  /** How often the official transport itself reopens a stream that was cut. */
  retries: number;
  /** Milliseconds between attempts after that. */
  pause: number;
  /** `reopened`: messages may have been missed. `lost`: the server has ended the session. */
  onchange(event: "reopened" | "lost"): void;
}

/** A server that does not know the session answers one of these: many answer 400 instead of 404. */
const ENDED = new Set([400, 404, 405, 410]);
/** The official transport signs in, and tries again. */
const UNAUTHORIZED = new Set([401, 403]);
/** Milliseconds between two `reopened` events: some servers close every stream at once. */
const BETWEEN_REPORTS = 10_000;

/** Watches the requests that open the stream, and goes on where the official transport gives up. */
export class NoticeStream {
  readonly #options: NoticeStreamOptions;
  #wasOpen = false;
  #isClosed = false;
  #failures = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;
  #retry: NodeJS.Timeout | undefined;
  #report: NodeJS.Timeout | undefined;

  constructor(options: NoticeStreamOptions) {
    this.#options = options;
  }

  /** Makes a request for the stream. */
  async watch(request: () => Promise<Response>): Promise<Response> {
    let response: Response | undefined;
    try {
      response = await request();
      return response;
    } finally {
      if (!this.#isClosed) this.#take(response);
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#report);
  }

  #take(response: Response | undefined): void {
    if (response?.ok) this.#opened();
    else if (!response || (response.status >= 500 && response.status !== 501)) this.#failed();
    // A server without such a stream refuses the first request.
    else if (!this.#wasOpen || UNAUTHORIZED.has(response.status)) return;
    else if (ENDED.has(response.status)) this.#options.onchange("lost");
    else this.#failed();
  }

  #opened(): void {
    this.#failures = 0;
    if (this.#wasOpen) this.#reportReopened();
    this.#wasOpen = true;
  }

  #reportReopened(): void {
    clearTimeout(this.#report);
    const report = (): void => {
      this.#reportedAt = performance.now();
      this.#options.onchange("reopened");
    };
    const wait = this.#reportedAt + BETWEEN_REPORTS - performance.now();
    if (wait <= 0) report();
    else this.#report = setTimeout(report, wait).unref();
  }

  #failed(): void {
    this.#failures++;
    // The official transport retries only a stream that was open, and not for ever.
    if (this.#wasOpen && this.#failures < this.#options.retries) return;
    clearTimeout(this.#retry);
    // A failure comes back here.
    const open = (): void => void this.#options.open().catch(() => {});
    this.#retry = setTimeout(open, this.#options.pause).unref();
  }
}
