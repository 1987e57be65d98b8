/**
 * The sign-in at a server, step by step: what really happened, what is wrong, and how to fix it.
 *
 * @module
 */
import type { SignInAttempt, SignInState } from "@vitrine/wire";
import { useEffect, useState } from "react";
import { Button, Link } from "react-aria-components";
import type { ServerSignIn } from "../../model/sign-in/sign-in.js";
import { type ShownStep, type StepState, stepsOf } from "../../model/sign-in/steps.js";
import { Choice } from "../choice.js";
import { clock } from "../inspector/format.js";
import { useObservable } from "../use-observable.js";
import "./sign-in.css";
import { SignInEventView } from "./sign-in-event.js";

/** The tab. It is loaded when it is opened. */
export function SignInPanel({ signIn }: { signIn: ServerSignIn }) {
  useObservable(signIn);
  useEffect(() => signIn.watch(), [signIn]);
  const { state, problem } = signIn;
  const [chosen, setChosen] = useState<number>();
  if (!state)
    return problem === undefined ? (
      <p className="in-none soft">Loading…</p>
    ) : (
      <p className="problem" role="alert">
        {problem}
      </p>
    );
  const { attempts } = state;
  const shown = attempts.find(({ id }) => id === chosen) ?? attempts.at(-1);
  return (
    <div className="in-scroll">
      <Summary signIn={signIn} state={state} />
      {problem !== undefined && (
        <p className="problem small" role="alert">
          {problem}
        </p>
      )}
      {shown ? (
        <>
          {attempts.length > 1 && (
            <Choice
              label="Attempt"
              options={attempts.toReversed().map((each) => ({ id: `${each.id}`, label: titleOf(each) }))}
              value={`${shown.id}`}
              onChange={(id) => setChosen(Number(id) === attempts.at(-1)?.id ? undefined : Number(id))}
            />
          )}
          <Attempt attempt={shown} state={state} />
        </>
      ) : (
        (state.way === "user" || state.way === "enterprise") && (
          <p className="soft">
            Nothing has happened since the gateway started. The steps appear here when you sign in, or when
            the server asks for it.
          </p>
        )
      )}
    </div>
  );
}

const OUTCOMES: Readonly<Record<SignInAttempt["outcome"], [kind: string, text: string]>> = {
  running: ["accent", "running"],
  waiting: ["warn", "waiting for you"],
  "signed-in": ["good", "signed in"],
  refreshed: ["good", "refreshed"],
  failed: ["bad", "failed"],
  forgotten: ["", "signed out"],
  replaced: ["", "replaced by another sign-in"],
  expired: ["bad", "expired"],
};

const titleOf = ({ id, at, outcome }: SignInAttempt): string =>
  `${id}: ${OUTCOMES[outcome][1]}, ${clock(at)}`;

/** Ways without steps, as sentences. */
const OTHER_WAYS: Readonly<Partial<Record<SignInState["way"], string>>> = {
  program: "This server is a program of the gateway: nobody signs in to it.",
  settings:
    "The settings hold the credentials of this server, and the gateway sends them. They are not shown, and nobody signs in.",
  off: "The settings turn signing in off for this server, or all users share it.",
};

/** Whether the user is signed in, and what can be done. */
function Summary({ signIn, state }: { signIn: ServerSignIn; state: SignInState }) {
  const { tokens, authorizeUrl, redirectUrl, way, url } = state;
  const other = OTHER_WAYS[way];
  if (other !== undefined) return <p>{other}</p>;
  const isWaiting = authorizeUrl !== undefined && /^https?:/.test(authorizeUrl);
  const start = way === "enterprise" ? "Get a token" : tokens ? "Sign in again" : "Start a sign-in";
  return (
    <section className="in-section" aria-label="Sign-in">
      <div className="si-row">
        <span className={`badge ${tokens ? "good" : isWaiting ? "warn" : ""}`}>
          {tokens ? "signed in" : isWaiting ? "waiting for you" : "not signed in"}
        </span>
        {isWaiting && (
          <Link className="button primary" href={authorizeUrl} target="_blank" rel="noopener noreferrer">
            Sign in
          </Link>
        )}
        <Button className="button" isDisabled={signIn.isBusy} onPress={() => void signIn.act("start")}>
          {isWaiting ? "Start again" : start}
        </Button>
        {tokens?.canRefresh && (
          <Button className="button" isDisabled={signIn.isBusy} onPress={() => void signIn.act("refresh")}>
            Refresh now
          </Button>
        )}
        {tokens && (
          <Button
            className="button quiet"
            isDisabled={signIn.isBusy}
            onPress={() => void signIn.act("forget")}
          >
            Forget
          </Button>
        )}
      </div>
      <dl className="si-facts">
        <Fact name="Server" value={url} />
        <Fact name="Way" value={way === "enterprise" ? "enterprise-managed (ID-JAG)" : "in a browser"} />
        <Fact name="Authorization server" value={tokens?.issuer} />
        <Fact name="Scope" value={tokens?.scope} />
        <Fact name="Token" value={tokens && expiryOf(tokens, state.now)} />
        {way === "user" && <Fact name="Redirect address" value={redirectUrl} />}
      </dl>
    </section>
  );
}

function Fact({ name, value }: { name: string; value: string | undefined }) {
  if (value === undefined) return null;
  return (
    <div>
      <dt className="soft small">{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function expiryOf({ expiresAt, canRefresh }: NonNullable<SignInState["tokens"]>, now: number): string {
  const renewal = canRefresh ? "is renewed" : "cannot be refreshed";
  if (expiresAt === undefined) return `no known end, ${renewal}`;
  return `${expiresAt <= now ? "expired" : "expires"} ${clock(expiresAt)}, ${renewal}`;
}

const STATES: Readonly<Record<StepState, [kind: string, text: string]>> = {
  done: ["good", "done"],
  warning: ["warn", "done, with a warning"],
  failed: ["bad", "failed"],
  waiting: ["warn", "waiting for you"],
  skipped: ["", "not needed"],
  open: ["", "not reached"],
};

function Attempt({ attempt, state }: { attempt: SignInAttempt; state: SignInState }) {
  const [kind, text] = OUTCOMES[attempt.outcome];
  return (
    <section className="in-section" aria-label="Steps">
      <h3>
        Steps <span className={`badge ${kind}`}>{text}</span>{" "}
        <span className="soft small">{clock(attempt.at)}</span>
      </h3>
      {attempt.repeated > 0 && (
        <p className="soft small">
          {attempt.repeated} more {attempt.repeated === 1 ? "call" : "calls"} ran into this sign-in while it
          waited.
        </p>
      )}
      <ol className="sign-in-steps">
        {stepsOf(attempt, state).map((step, index) => (
          <Step key={step.step} step={step} number={index + 1} />
        ))}
      </ol>
      {attempt.dropped > 0 && (
        <p className="soft small">{attempt.dropped} more messages were too many to keep.</p>
      )}
    </section>
  );
}

function Step({ step: { title, state, events, explanations }, number }: { step: ShownStep; number: number }) {
  const [kind, text] = STATES[state];
  return (
    <li>
      <section className="sign-in-step" aria-label={title}>
        <h4>
          {number}. {title} <span className={`badge ${kind}`}>{text}</span>
        </h4>
        {explanations.map(({ code, level, text: what, fix }) => (
          <div key={`${code} ${what}`} className={`sign-in-explanation ${level}`} data-code={code}>
            <p>{what}</p>
            <p className="soft">{fix}</p>
          </div>
        ))}
        {events.map((event) => (
          <SignInEventView key={`${event.at} ${JSON.stringify(event).length}`} event={event} />
        ))}
      </section>
    </li>
  );
}
