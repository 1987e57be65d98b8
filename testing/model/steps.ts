/** Steps of a scripted model; see `scripted-model.ts`. */

/** A request as the model received it. */
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
  /** The body as it was sent. */
  readonly text: string;
  /** Resolves when the exchange is over; true if the client disconnected early. */
  readonly left: Promise<boolean>;
}

/** A step of the script. */
export type Step =
  | { readonly do: "text"; readonly text: string }
  | { readonly do: "call"; readonly index: number; readonly id: string; readonly name: string }
  | { readonly do: "arguments"; readonly index: number; readonly text: string }
  | { readonly do: "wait"; readonly until: () => Promise<unknown> }
  | { readonly do: "usage"; readonly input: number; readonly output: number }
  | { readonly do: "finish"; readonly reason: string }
  /** An error event in the stream. */
  | { readonly do: "error"; readonly error: Readonly<Record<string, unknown>> }
  /** Raw bytes. */
  | { readonly do: "raw"; readonly bytes: string }
  /** Breaks the connection. */
  | { readonly do: "drop" }
  /** Ends the answer properly here, even if it is incomplete. */
  | { readonly do: "end" }
  /** Answers without a stream; only as the first step. */
  | {
      readonly do: "answer";
      readonly status: number;
      readonly body: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/** Steps, nested to any depth; a function creates them from the request. */
export type Script = Step | readonly Script[] | ((saw: ModelSaw) => Script | Promise<Script>);

/** Says this, each part as a separate token. */
export const say = (...tokens: string[]): Script => tokens.map((text): Step => ({ do: "text", text }));

/** Pauses, as if thinking. */
export const pause = (milliseconds: number): Script => ({
  do: "wait",
  until: () => new Promise((resolve) => setTimeout(resolve, milliseconds)),
});

/** Waits for a test's promise. */
export const waitFor = (until: Promise<unknown> | (() => Promise<unknown>)): Script => ({
  do: "wait",
  until: typeof until === "function" ? until : () => until,
});

/** Form of a call. */
export interface CallOptions {
  /** `call-<index>` by default. */
  id?: string;
  /** Its index among the calls of one answer; 0 by default. */
  index?: number;
  /** Characters per fragment of its arguments; all in one by default. */
  fragment?: number;
}

/** Calls a tool. Arguments given as text are sent as they are, for invalid JSON. */
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

/** Runs several scripts at the same time: one step of each in turn. */
export function together(...all: readonly Step[][]): Step[] {
  const longest = Math.max(0, ...all.map((steps) => steps.length));
  return Array.from({ length: longest }, (_, at) => all.flatMap((steps) => steps[at] ?? [])).flat();
}

/** Token usage. It ends the answer, so `finish` comes before it. */
export const usage = (input: number, output: number): Script => ({ do: "usage", input, output });

/** The finish reason. By default it is `tool_calls` after calls, and `stop` otherwise. */
export const finish = (reason: string): Script => ({ do: "finish", reason });

/** An error in the middle of the stream, as providers send it. */
export const failInStream = (error: Readonly<Record<string, unknown>>): Script => ({ do: "error", error });

export const raw = (bytes: string): Script => ({ do: "raw", bytes });

/** Breaks the connection in the middle of the stream. */
export const drop: Script = { do: "drop" };

/** Ends the stream properly, but too early. */
export const endEarly: Script = { do: "end" };

/** Answers without a stream. */
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

/** 401, with a message that contains part of the key, like OpenAI's. */
export const unauthorized: Script = (saw) => {
  const key = String(saw.headers["authorization"] ?? "").replace("Bearer ", "");
  const message = `Incorrect API key provided: ${key}. You can find your key at https://example.com/keys.`;
  return answer(401, { error: { message, type: "invalid_request_error", code: "invalid_api_key" } });
};

/** 429, with seconds or any text for the header. */
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
