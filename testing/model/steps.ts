/** What a scripted model does, step by step; see `scripted-model.ts`. */

/** A request as it came in: what the model saw. */
export interface ModelSaw {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed body. */
  readonly body: {
    readonly model: string;
    readonly stream?: boolean;
    readonly messages: readonly {
      readonly role: string;
      readonly content: unknown;
      readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
      readonly tool_call_id?: string;
    }[];
    readonly tools?: readonly { function: { name: string; description?: string; parameters: unknown } }[];
    readonly [more: string]: unknown;
  };
  /** The same as it was sent. */
  readonly text: string;
  /** Resolves when the exchange is over; true if the other end left before all was said. */
  readonly left: Promise<boolean>;
}

/** One thing that it does. */
export type Step =
  | { readonly do: "text"; readonly text: string }
  | { readonly do: "call"; readonly index: number; readonly id: string; readonly name: string }
  | { readonly do: "arguments"; readonly index: number; readonly text: string }
  | { readonly do: "wait"; readonly until: () => Promise<unknown> }
  | { readonly do: "usage"; readonly input: number; readonly output: number }
  | { readonly do: "finish"; readonly reason: string }
  /** An error event in the stream. */
  | { readonly do: "error"; readonly error: Readonly<Record<string, unknown>> }
  /** Bytes as they are. */
  | { readonly do: "raw"; readonly bytes: string }
  /** The connection breaks. */
  | { readonly do: "drop" }
  /** The answer ends here, properly, whatever is missing. */
  | { readonly do: "end" }
  /** Only as the first step: no stream, but this answer. */
  | {
      readonly do: "answer";
      readonly status: number;
      readonly body: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/** Steps, nested as one likes; a function makes them of what the model saw. */
export type Script = Step | readonly Script[] | ((saw: ModelSaw) => Script | Promise<Script>);

/** It says this, each part as a token of its own. */
export const say = (...tokens: string[]): Script => tokens.map((text): Step => ({ do: "text", text }));

/** It thinks, or is slow. */
export const pause = (milliseconds: number): Script => ({
  do: "wait",
  until: () => new Promise((resolve) => setTimeout(resolve, milliseconds)),
});

/** It waits for what a test decides. */
export const waitFor = (until: Promise<unknown> | (() => Promise<unknown>)): Script => ({
  do: "wait",
  until: typeof until === "function" ? until : () => until,
});

/** How a call is written. */
export interface CallOptions {
  /** `call-<index>` by default. */
  id?: string;
  /** Its place among the calls of one answer; 0 by default. */
  index?: number;
  /** Characters of each fragment of its arguments; all in one by default. */
  fragment?: number;
}

/** It calls a tool. Text in place of arguments is written as it is: for JSON that is none. */
export function callTool(
  name: string,
  input: Readonly<Record<string, unknown>> | string,
  options: CallOptions = {},
): Step[] {
  const { index = 0, id = `call-${index}`, fragment = Number.POSITIVE_INFINITY } = options;
  const text = typeof input === "string" ? input : JSON.stringify(input);
  const steps: Step[] = [{ do: "call", index, id, name }];
  for (let at = 0; at < text.length; at += fragment)
    steps.push({ do: "arguments", index, text: text.slice(at, at + fragment) });
  return steps;
}

/** Does several things at the same time: a step of each in turn. */
export function together(...all: readonly Step[][]): Step[] {
  const longest = Math.max(0, ...all.map((steps) => steps.length));
  return Array.from({ length: longest }, (_, at) => all.flatMap((steps) => steps[at] ?? [])).flat();
}

/** What it cost. The answer is at its end with this: `finish` comes before it. */
export const usage = (input: number, output: number): Script => ({ do: "usage", input, output });

/** Why it ended; without this step it is `tool_calls` after calls, and `stop` else. */
export const finish = (reason: string): Script => ({ do: "finish", reason });

/** An error in the middle of the stream, as providers send it. */
export const failInStream = (error: Readonly<Record<string, unknown>>): Script => ({ do: "error", error });

export const raw = (bytes: string): Script => ({ do: "raw", bytes });

/** The connection breaks in the middle of the stream. */
export const drop: Script = { do: "drop" };

/** The stream ends in good order, but too early. */
export const endEarly: Script = { do: "end" };

/** No stream, but this answer. */
export const answer = (
  status: number,
  body: unknown = { error: { message: `status ${status}`, type: "scripted" } },
  headers: Readonly<Record<string, string>> = { "content-type": "application/json" },
): Script => ({
  do: "answer",
  status,
  body: typeof body === "string" ? body : JSON.stringify(body),
  headers,
});

/** 401, with a message that has part of the key in it, as OpenAI's has. */
export const unauthorized: Script = (saw) => {
  const key = String(saw.headers["authorization"] ?? "").replace("Bearer ", "");
  const message = `Incorrect API key provided: ${key}. You can find your key at https://example.com/keys.`;
  return answer(401, { error: { message, type: "invalid_request_error", code: "invalid_api_key" } });
};

/** 429; seconds, or any text for the header. */
export const rateLimited = (retryAfter?: number | string): Script =>
  answer(
    429,
    { error: { message: "Rate limit reached for requests", type: "requests", code: "rate_limit_exceeded" } },
    {
      "content-type": "application/json",
      ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
    },
  );

/** 503. */
export const overloaded: Script = answer(503, "the engine is loading a model", {
  "content-type": "text/plain",
});
