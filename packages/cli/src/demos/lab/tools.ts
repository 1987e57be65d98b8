/**
 * Tools of the lab without an app: one for each kind of answer.
 *
 * @module
 */
import { setTimeout as pause } from "node:timers/promises";
import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { everyField } from "./every-field.js";
import { sunset } from "./picture.js";

const annotations = { readOnlyHint: true, openWorldHint: false };
const nothing = z.object({});
const said = (text: string) => [{ type: "text" as const, text }];

/** Registers the tools. */
export function registerPlainTools(server: McpServer): void {
  server.registerTool(
    "slow",
    {
      title: "A slow tool",
      description: "Takes its time, tells its progress every half second, and can be cancelled",
      inputSchema: z.object({ seconds: z.number().min(0).max(600).default(5) }),
      annotations,
    },
    async ({ seconds }, { mcpReq: { _meta, notify, signal } }) => {
      const progressToken = _meta?.progressToken;
      const total = Math.ceil(seconds * 2);
      for (let progress = 0; progress < total; progress++) {
        const message = `${progress / 2} of ${seconds} seconds`;
        if (progressToken !== undefined)
          await notify({
            method: "notifications/progress",
            params: { progressToken, progress, total, message },
          });
        // Rejects when the call is cancelled; then no answer is needed.
        await pause(Math.min(500, seconds * 1000 - progress * 500), undefined, { signal });
      }
      return { content: said(`Done after ${seconds} seconds.`) };
    },
  );

  server.registerTool(
    "fails",
    {
      title: "A tool that fails",
      description: "Answers with an error, as a tool does that could not do its work",
      inputSchema: z.object({ message: z.string().min(1).default("The printer is out of paper.") }),
      annotations,
    },
    ({ message }) => ({ content: said(message), isError: true }),
  );

  server.registerTool(
    "text_only",
    { title: "Text", description: "Answers with two blocks of text", inputSchema: nothing, annotations },
    () => ({
      content: [
        ...said("Plain text, with <b>tags</b> that must stay text & a long line. ".repeat(4)),
        ...said("A second block:\n- with\n- lines"),
      ],
    }),
  );

  server.registerTool(
    "structured",
    {
      title: "Structured content",
      description: "Answers with data that has an output schema, and the same as text",
      inputSchema: nothing,
      outputSchema: z.object({
        planets: z.array(z.object({ name: z.string(), moons: z.number().int(), hasRings: z.boolean() })),
      }),
      annotations,
    },
    () => {
      const structuredContent = {
        planets: [
          { name: "Earth", moons: 1, hasRings: false },
          { name: "Mars", moons: 2, hasRings: false },
          { name: "Neptune", moons: 16, hasRings: true },
        ],
      };
      return { content: said(JSON.stringify(structuredContent)), structuredContent };
    },
  );

  server.registerTool(
    "image",
    { title: "A picture", description: "Answers with a PNG", inputSchema: nothing, annotations },
    () => ({
      content: [
        ...said("A sunset, computed:"),
        { type: "image" as const, mimeType: "image/png", data: sunset(320, 180).toString("base64") },
      ],
    }),
  );

  server.registerTool(
    "big",
    {
      title: "A big answer",
      description: "Answers with as much text as asked for",
      inputSchema: z.object({ kilobytes: z.number().int().min(1).max(20_000).default(256) }),
      annotations,
    },
    ({ kilobytes }) => {
      const line = "All work and no play makes a big answer. 0123456789 abcdefghijk\n";
      return { content: said(line.repeat(kilobytes * 16)) };
    },
  );

  server.registerTool(
    "every_field",
    {
      title: "Every kind of field",
      description: "A form with every kind of field; answers with what it was given",
      inputSchema: everyField,
      annotations,
    },
    (input) => ({ content: said(JSON.stringify(input, undefined, 2)) }),
  );
}
