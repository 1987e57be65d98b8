/**
 * Records what really happened in the sign-ins of one user at one server, with secrets masked.
 *
 * @module
 */
import type { FetchLike } from "@modelcontextprotocol/client";
import type { SignInAttempt, SignInEvent, SignInNote, SignInStep } from "@vitrine/wire";
import { exchangeOf, fail, readAnswer } from "./recorded-exchange.js";
import { SignInMask } from "./sign-in-mask.js";
import { stepOf } from "./sign-in-step.js";

/** Attempts that are kept, events of each, and characters of all. */
const MOST_ATTEMPTS = 10;
const MOST_EVENTS = 40;
const MOST_CHARACTERS = 300_000;

/** Options of {@link SignInRecord}. */
export interface SignInRecordOptions {
  now: () => number;
  /** Called when there is something new. */
  onchange?: (() => void) | undefined;
}

/** The last attempts, in memory. */
export class SignInRecord {
  readonly mask = new SignInMask();
  readonly #options: SignInRecordOptions;
  #attempts: SignInAttempt[] = [];
  #last = 0;
  /** The attempt whose tokens no call has used yet. */
  #uncalled: SignInAttempt | undefined;
  readonly #sizes = new WeakMap<SignInEvent, number>();

  constructor(options: SignInRecordOptions) {
    this.#options = options;
  }

  /** A copy that later events do not change. Sign-ins that waited for longer than `lifetime` have expired. */
  attempts(lifetime: number): SignInAttempt[] {
    const isLate = ({ outcome, at }: SignInAttempt): boolean =>
      outcome === "waiting" && Math.abs(this.#options.now() - at) >= lifetime;
    for (const attempt of this.#attempts) if (isLate(attempt)) attempt.outcome = "expired";
    return structuredClone(this.#attempts);
  }

  /** Forgets a refusal that causes nothing: the call is repeated with a newer token. */
  dismiss(): void {
    const last = this.#attempts.at(-1);
    if (last && isOnlyChallenged(last)) this.#attempts = this.#attempts.slice(0, -1);
  }

  /** Starts an attempt, or continues the one that a challenge of the server has just started. */
  begin(): SignInAttempt {
    const last = this.#attempts.at(-1);
    if (last && isOnlyChallenged(last)) return last;
    return this.start();
  }

  /** Ends an attempt. After a success, the next call belongs to it. */
  end(attempt: SignInAttempt, outcome: SignInAttempt["outcome"]): void {
    attempt.outcome = outcome;
    if (outcome === "signed-in" || outcome === "refreshed") this.#uncalled = attempt;
    if (outcome === "signed-in" || outcome === "forgotten")
      for (const other of this.#attempts) if (other.outcome === "waiting") other.outcome = "replaced";
    this.#changed();
  }

  /** Leaves out an attempt that only found that a sign-in is waiting already. */
  merge(attempt: SignInAttempt): void {
    const waiting = this.#attempts.findLast((each) => each !== attempt && each.outcome === "waiting");
    // A rejected refresh is worth more than the sign-in that waits.
    const isRejected = attempt.events.some(({ step }) => step === "refresh");
    if (!waiting || isRejected) {
      this.end(attempt, isRejected ? "failed" : "waiting");
      return;
    }
    this.#attempts = this.#attempts.filter((each) => each !== attempt);
    waiting.repeated++;
    this.#changed();
  }

  /** Adds something that is no request. The facts are masked here. */
  note(
    attempt: SignInAttempt,
    step: SignInStep,
    code: SignInNote["code"],
    facts: Record<string, string | undefined> = {},
    claims?: SignInNote["claims"],
  ): void {
    const shown = Object.entries(facts).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, name === "url" ? this.mask.url(value) : this.mask.text(value)]],
    );
    this.#add(attempt, {
      kind: "note",
      step,
      at: this.#options.now(),
      code,
      facts: Object.fromEntries(shown),
      ...(claims && { claims }),
    });
  }

  /** The step of the last event, for an error that has none. */
  lastStep(attempt: SignInAttempt): SignInStep {
    return attempt.events.at(-1)?.step ?? "server-metadata";
  }

  /**
   * Wraps a `fetch` to record each request and its answer.
   *
   * @param step the step of all requests; by default, each request says it
   */
  fetch(attempt: SignInAttempt, fetch: FetchLike, step?: SignInStep): FetchLike {
    return async (url, init) => {
      const { now } = this.#options;
      const event = exchangeOf(step ?? stepOf(url, init), url, init, this.mask, now());
      this.#add(attempt, event);
      const before = performance.now();
      try {
        const response = await fetch(url, init);
        await readAnswer(event, response, this.mask, performance.now() - before);
        this.#grown(attempt, event);
        return response;
      } catch (error) {
        fail(event, error, this.mask);
        this.#grown(attempt, event);
        throw error;
      }
    };
  }

  /**
   * Takes the answer to a call of the server itself: the challenge that starts an attempt, or the first answer to a
   * new token. Others cost nothing.
   */
  called(url: string | URL, init: RequestInit | undefined, response: Response, duration: number): void {
    const isRefused = response.status === 401 || response.status === 403;
    const hasToken = new Headers(init?.headers).has("authorization");
    const uncalled = hasToken ? this.#uncalled : undefined;
    // Other errors are answers of the protocol: a server of an earlier revision refuses the first question.
    if (!isRefused && !(uncalled && response.ok)) return;
    // Many calls may be refused at once: the first one stands for all.
    const last = this.#attempts.at(-1);
    if (!uncalled && last && (last.outcome === "running" || isRepeated(last, this.#options.now()))) return;
    this.#uncalled = undefined;
    const event = exchangeOf(hasToken ? "call" : "challenge", url, init, this.mask, this.#options.now());
    event.response = {
      status: response.status,
      headers: this.mask.headers(response.headers),
      duration: Math.round(duration),
    };
    const attempt = uncalled && this.#attempts.includes(uncalled) ? uncalled : this.start();
    // A refusal for lack of rights ends here, unless the server names the rights that it wants.
    const isFinal = response.status === 403 && !/insufficient_scope/.test(wwwAuthenticate(response));
    if (isRefused && (isFinal || attempt === uncalled)) attempt.outcome = "failed";
    this.#add(attempt, event);
  }

  /** Starts an attempt. */
  start(): SignInAttempt {
    const attempt: SignInAttempt = {
      id: ++this.#last,
      at: this.#options.now(),
      outcome: "running",
      events: [],
      dropped: 0,
      repeated: 0,
    };
    this.#attempts = [...this.#attempts, attempt].slice(-MOST_ATTEMPTS);
    return attempt;
  }

  #add(attempt: SignInAttempt, event: SignInEvent): void {
    if (attempt.events.length >= MOST_EVENTS) attempt.dropped++;
    else attempt.events.push(event);
    this.#grown(attempt, event);
  }

  #grown(attempt: SignInAttempt, event: SignInEvent): void {
    this.#sizes.set(event, JSON.stringify(event).length);
    const sizeOf = (events: readonly SignInEvent[]): number =>
      events.reduce((sum, each) => sum + (this.#sizes.get(each) ?? 0), 0);
    const total = (): number => this.#attempts.reduce((sum, each) => sum + sizeOf(each.events), 0);
    while (total() > MOST_CHARACTERS) {
      const [oldest] = this.#attempts;
      if (oldest && oldest !== attempt) this.#attempts = this.#attempts.slice(1);
      else {
        // An attempt alone: its last event is too much.
        attempt.events.pop();
        attempt.dropped++;
      }
    }
    this.#changed();
  }

  #changed(): void {
    this.#options.onchange?.();
  }
}

/** Whether nothing but the server's own answers belongs to it. */
const isOnlyChallenged = ({ outcome, events }: SignInAttempt): boolean =>
  outcome === "running" && events.every(({ step }) => step === "challenge" || step === "call");

const wwwAuthenticate = ({ headers }: Response): string => headers.get("www-authenticate") ?? "";

/** Milliseconds in which the same refusal counts once. */
const SAME = 1_000;
const isRepeated = ({ events, outcome }: SignInAttempt, now: number): boolean => {
  const [first] = events;
  return (
    outcome !== "signed-in" &&
    outcome !== "refreshed" &&
    events.length === 1 &&
    first?.step === "call" &&
    now - first.at < SAME
  );
};
