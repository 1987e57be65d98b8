/**
 * Facts about one attempt to sign in, read from its recorded messages.
 *
 * @module
 */
import { isRecord } from "@vitrine/protocol";
import type {
  SignInAttempt,
  SignInBody,
  SignInExchange,
  SignInNote,
  SignInState,
  SignInStep,
} from "@vitrine/wire";

/** A problem, a warning or a hint, and the way out. */
export interface Explanation {
  /** Stable, for tests and documents. */
  code: string;
  step: SignInStep;
  level: "problem" | "warning" | "hint";
  /** The problem. */
  text: string;
  /** How to fix it. */
  fix: string;
}

/** Makes an explanation for a step. */
export const says =
  (step: SignInStep) =>
  (level: Explanation["level"], code: string, text: string, fix: string): Explanation => ({
    code,
    step,
    level,
    text,
    fix,
  });

/** Everything that the explanations look at. */
export class AttemptFacts {
  readonly attempt: SignInAttempt;
  readonly state: SignInState;
  /** The metadata of the server (RFC 9728), if they could be read. */
  readonly resource: Record<string, unknown> | undefined;
  /** The metadata of its authorization server. */
  readonly server: Record<string, unknown> | undefined;

  constructor(attempt: SignInAttempt, state: SignInState) {
    this.attempt = attempt;
    this.state = state;
    this.resource = this.exchanges("resource-metadata").map(answerOf).find(Boolean);
    this.server = this.exchanges("server-metadata").map(answerOf).find(Boolean);
  }

  exchanges(step: SignInStep): SignInExchange[] {
    return this.attempt.events.filter(
      (event): event is SignInExchange => event.kind === "exchange" && event.step === step,
    );
  }

  notes(code: SignInNote["code"], step?: SignInStep): SignInNote[] {
    return this.attempt.events.filter(
      (event): event is SignInNote =>
        event.kind === "note" && event.code === code && (step === undefined || event.step === step),
    );
  }

  get isFailed(): boolean {
    return this.attempt.outcome === "failed";
  }

  /** The resource that tokens must be for. */
  get audience(): string | undefined {
    return textOf(this.resource?.["resource"]) ?? this.state.url;
  }

  /** The address of the authorization server that the server names; without metadata, its own origin. */
  get expectedIssuer(): string | undefined {
    const [first] = textsOf(this.resource?.["authorization_servers"]);
    return first ?? originOf(this.state.url);
  }
}

/** The JSON of a body. A shortened one is none. */
export function jsonOf(body: SignInBody | undefined): Record<string, unknown> | undefined {
  if (body?.kind !== "json" && body?.kind !== "form") return undefined;
  try {
    const value: unknown = JSON.parse(body.text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The JSON of a successful answer. */
export const answerOf = ({ response }: SignInExchange): Record<string, unknown> | undefined =>
  isOk(response?.status) ? jsonOf(response?.body) : undefined;

export const isOk = (status: number | undefined): boolean =>
  status !== undefined && status >= 200 && status < 300;

/** The OAuth error in an answer, and its description. */
export function errorOf({ response }: SignInExchange): { error: string; description: string } | undefined {
  const answer = jsonOf(response?.body);
  const error = textOf(answer?.["error"]);
  if (error === undefined) return undefined;
  return { error, description: textOf(answer?.["error_description"]) ?? "" };
}

/** A header of the answer. */
export const headerOf = ({ response }: SignInExchange, name: string): string | undefined =>
  response?.headers.find(([each]) => each === name)?.[1];

/** A parameter of a `WWW-Authenticate` header. */
export const challengeParameter = (header: string | undefined, name: string): string | undefined => {
  const found = new RegExp(`\\b${name}=(?:"([^"]*)"|([^\\s,]+))`, "i").exec(header ?? "");
  return found?.[1] ?? found?.[2];
};

export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** The texts in a list, or a single text. */
export const textsOf = (value: unknown): string[] =>
  typeof value === "string"
    ? [value]
    : Array.isArray(value)
      ? value.filter((each) => typeof each === "string")
      : [];

/** Compares without a slash at the end, which parsing adds to some addresses. */
export const isSameAddress = (a: string, b: string): boolean => a.replace(/\/$/, "") === b.replace(/\/$/, "");

export const originOf = (address: string | undefined): string | undefined =>
  address !== undefined && URL.canParse(address) ? new URL(address).origin : undefined;

/** The description of an error, as a sentence after ours. */
export const quoted = (description: string): string =>
  description === "" ? "" : ` It says: “${description}”`;
