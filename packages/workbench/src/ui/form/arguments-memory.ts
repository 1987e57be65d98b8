/**
 * The last arguments of each tool, kept in this browser.
 *
 * @module
 */
import type { Tool } from "@vitrine/protocol";
import { withoutSecrets } from "../../model/redaction/secrets.js";
import { keep, readKept } from "../shell/kept.js";
import { readArguments } from "./json-text.js";

const nameOf = (server: string, tool: string): string => `arguments ${JSON.stringify([server, tool])}`;

/** What a tool was called with last. */
export const lastArguments = (server: string, tool: string): Record<string, unknown> | undefined =>
  readArguments(readKept(nameOf(server, tool)) ?? "").value;

/** Remembers what a tool is called with, but for secrets. */
export function rememberArguments(
  server: string,
  { name, inputSchema }: Pick<Tool, "name" | "inputSchema">,
  input: Record<string, unknown>,
): void {
  keep(nameOf(server, name), JSON.stringify(withoutSecrets(inputSchema, input)));
}
