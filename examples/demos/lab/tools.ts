/**
 * Tools of the lab without an app: one for each kind of answer.
 *
 * @module
 */
import { setTimeout as pause } from "node:timers/promises";
import { reply, tool } from "@vitrine/server";
import { z } from "zod";
import { everyField } from "./every-field.js";
import { sunset } from "./picture.js";

const annotations = { readOnlyHint: true, openWorldHint: false };

const slow = tool({
  name: "slow",
  title: "A slow tool",
  description: "Takes its time, tells its progress every half second, and can be cancelled",
  input: z.object({ seconds: z.number().min(0).max(600).default(5) }),
  annotations,
  run: async ({ seconds }, { progress, signal }) => {
    const total = Math.ceil(seconds * 2);
    for (let done = 0; done < total; done++) {
      await progress(done, total, `${done / 2} of ${seconds} seconds`);
      // Rejects when the call is cancelled; then no answer is needed.
      await pause(Math.min(500, seconds * 1000 - done * 500), undefined, { signal });
    }
    return `Done after ${seconds} seconds.`;
  },
});

const fails = tool({
  name: "fails",
  title: "A tool that fails",
  description: "Answers with an error, as a tool does that could not do its work",
  input: z.object({ message: z.string().min(1).default("The printer is out of paper.") }),
  annotations,
  run: ({ message }) => {
    throw new Error(message);
  },
});

const textOnly = tool({
  name: "text_only",
  title: "Text",
  description: "Answers with two blocks of text",
  annotations,
  run: () =>
    reply(undefined, {
      text: "Plain text, with <b>tags</b> that must stay text & a long line. ".repeat(4),
      content: [{ type: "text", text: "A second block:\n- with\n- lines" }],
    }),
});

const structured = tool({
  name: "structured",
  title: "Structured content",
  description: "Answers with data that has an output schema, and the same as text",
  output: z.object({
    planets: z.array(z.object({ name: z.string(), moons: z.number().int(), hasRings: z.boolean() })),
  }),
  annotations,
  text: (data) => JSON.stringify(data),
  run: () => ({
    planets: [
      { name: "Earth", moons: 1, hasRings: false },
      { name: "Mars", moons: 2, hasRings: false },
      { name: "Neptune", moons: 16, hasRings: true },
    ],
  }),
});

const image = tool({
  name: "image",
  title: "A picture",
  description: "Answers with a PNG",
  annotations,
  run: () =>
    reply(undefined, {
      text: "A sunset, computed:",
      content: [{ type: "image", mimeType: "image/png", data: sunset(320, 180).toString("base64") }],
    }),
});

const big = tool({
  name: "big",
  title: "A big answer",
  description: "Answers with as much text as asked for",
  input: z.object({ kilobytes: z.number().int().min(1).max(20_000).default(256) }),
  annotations,
  run: ({ kilobytes }) =>
    "All work and no play makes a big answer. 0123456789 abcdefghijk\n".repeat(kilobytes * 16),
});

const everyKindOfField = tool({
  name: "every_field",
  title: "Every kind of field",
  description: "A form with every kind of field; answers with what it was given",
  input: everyField,
  annotations,
  run: (input) => JSON.stringify(input, undefined, 2),
});

/** All of them. */
export const PLAIN_TOOLS = [slow, fails, textOnly, structured, image, big, everyKindOfField] as const;
