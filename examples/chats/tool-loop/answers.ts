import { ToolDirectory, type Upstream } from "@vitrine/guard";
import { type Conversation, type Line, runLoop } from "./loop.js";

export interface AnswersOptions {
  upstream: Upstream;
  /** The signed-in user of a request. */
  userOf(request: Request): string | undefined;
  startConversation(): Conversation;
}

/** POST /chat: the answer to a message, as lines of JSON. */
export function answersTo({ upstream, userOf, startConversation }: AnswersOptions) {
  const directory = new ToolDirectory(upstream);
  /** Stands in for your database: the conversation of each user. */
  const conversations = new Map<string, Conversation>();
  /** Users whose answer is being written. They have one at a time. */
  const busy = new Set<string>();

  return async (request: Request): Promise<Response> => {
    const user = userOf(request);
    if (user === undefined) return new Response("Sign in first", { status: 401 });
    const { text } = await request.json();
    if (typeof text !== "string") return new Response("Send a text", { status: 400 });
    if (busy.has(user)) return new Response("Wait for the answer", { status: 429 });
    busy.add(user);
    const conversation = conversations.get(user) ?? startConversation();
    conversations.set(user, conversation);
    conversation.ask(text);

    // Aborted when the user stops the answer, or leaves.
    const left = new AbortController();
    const signal = AbortSignal.any([request.signal, left.signal]);
    const encoder = new TextEncoder();
    const lines = new ReadableStream({
      async start(controller) {
        const send = (line: Line) => {
          if (!signal.aborted) controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
        };
        try {
          await runLoop({ conversation, upstream, directory, send, signal });
        } catch (error) {
          if (!signal.aborted) console.error(error); // It may name your key: not for the page.
          send({ type: "error", reason: "The answer could not be completed" });
        } finally {
          busy.delete(user);
          if (!signal.aborted) controller.close();
        }
      },
      cancel: () => left.abort(),
    });
    // nginx sends each line at once.
    return new Response(lines, {
      headers: { "content-type": "application/x-ndjson", "x-accel-buffering": "no" },
    });
  };
}
