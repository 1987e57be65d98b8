/**
 * Remembers the last arguments of each tool in this browser.
 *
 * @module
 */
import type { Tool } from "@vitrine/protocol";
import { withoutSecrets } from "../../model/redaction/secrets.js";
import { keep, readKept } from "../shell/kept.js";
import { readArguments } from "./json-text.js";

const nameOf = (server: string, tool: string): string => `arguments ${JSON.stringify([server, tool])}`;

/** The last arguments of a tool. */
export const lastArguments = (server: string, tool: string): Record<string, unknown> | undefined =>
  readArguments(readKept(nameOf(server, tool)) ?? "").value;

/** Stores a tool's arguments, without secrets. */
export function rememberArguments(
  server: string,
  { name, inputSchema }: Pick<Tool, "name" | "inputSchema">,
  input: Record<string, unknown>,
): void {
  keep(nameOf(server, name), JSON.stringify(withoutSecrets(inputSchema, input)));
}
