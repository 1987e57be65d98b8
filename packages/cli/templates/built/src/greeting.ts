/** What the page knows of the server: the types are those of its tools. */
import type { App, TypedApp } from "@vitrine/view";
import type { Tools } from "../server/app.js";

export type Greeting = Tools["greet"]["result"];

/** The greeting in a result; a tool that failed gives none. */
export const greetingOf = (result: { structuredContent?: unknown } | undefined): Greeting | undefined =>
  result?.structuredContent as Greeting | undefined;

/** The page calls the tool, as the model does. */
export async function greet(app: App, name: string): Promise<Greeting | undefined> {
  const typed = app as TypedApp<Tools, "greet">;
  const { structuredContent } = await typed.callServerTool({ name: "greet", arguments: { name } });
  return structuredContent;
}
