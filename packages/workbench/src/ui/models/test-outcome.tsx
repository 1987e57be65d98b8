/**
 * A test message: on its way, or its outcome.
 *
 * @module
 */
import type { RunningTest } from "../../model/conversation/providers.js";
import { count, duration } from "../inspector/format.js";

/** Shows the answer, the time, the tokens, and whether the model can call tools. */
export function TestOutcome({ test }: { test: RunningTest | undefined }) {
  const { model, outcome } = test ?? {};
  const { text = "", usage, canCall, problem } = outcome ?? {};
  return (
    <div className="models-test" role="status">
      {model !== undefined && !outcome && <p className="soft">Sending a test message to {model}…</p>}
      {outcome && (
        <>
          <p>
            <strong>{model}</strong>{" "}
            <span className={problem ? "badge" : canCall ? "badge good" : "badge warn"}>
              {problem ? problem.code : canCall ? "can call tools" : "did not call the tool"}
            </span>{" "}
            <span className="soft small">
              {duration(outcome.duration)}
              {usage && ` · ${count(usage.input)} tokens in, ${count(usage.output)} out`}
            </span>
          </p>
          {problem && <p className="problem">{problem.message}</p>}
          {!problem && !canCall && (
            <p className="soft small">
              It can talk, but may not be able to use servers. Choose another model; llama.cpp needs --jinja,
              and vLLM --enable-auto-tool-choice.
            </p>
          )}
          {text !== "" && <p className="models-answer">{text}</p>}
        </>
      )}
    </div>
  );
}
