/**
 * An {@link App} typed with its server's tools. Only types: it adds no code to the page.
 *
 * @module
 */
import type { CallToolResult, Params } from "@vitrine/protocol";
import type { App } from "./app.js";
import type { ViewEventMap } from "./view.js";

/** Types of one tool. `ToolsOf` of `@vitrine/server` derives them from the tool definitions. */
export interface ToolTypes {
  /** Arguments that a caller may pass. */
  input: unknown;
  /** Arguments received while the model still writes them. */
  partial: unknown;
  /** The result's `structuredContent`. */
  result: unknown;
}

type Typed<Event extends keyof ViewEventMap, Field extends string, Value> = Omit<
  ViewEventMap[Event],
  Field
> & {
  [Key in Field]?: Value | undefined;
};
/** A tool without type information. */
export interface UntypedTool {
  input: Record<string, unknown>;
  partial: Record<string, unknown>;
  result: unknown;
}

/** A result with typed data. A failed tool has no data. */
type TypedResult<Result> = Omit<CallToolResult, "structuredContent"> & {
  structuredContent?: Result | undefined;
};

/** The result of a tool call, typed if the tool's types are known. */
export type ToolResult<Tool extends ToolTypes = UntypedTool> = unknown extends Tool["result"]
  ? CallToolResult
  : TypedResult<Tool["result"]>;

interface TypedEvents<Tool extends ToolTypes> {
  toolinput: Typed<"toolinput", "arguments", Tool["input"]>;
  toolinputpartial: Typed<"toolinputpartial", "arguments", Tool["partial"]>;
  toolresult: Typed<"toolresult", "structuredContent", Tool["result"]>;
}
type TypedEvent<
  Event extends keyof ViewEventMap,
  Tool extends ToolTypes,
> = Event extends keyof TypedEvents<Tool> ? TypedEvents<Tool>[Event] : ViewEventMap[Event];
type Handlers<Tool extends ToolTypes> = {
  [Event in keyof TypedEvents<Tool> as `on${Event}`]:
    | ((params: TypedEvents<Tool>[Event]) => unknown)
    | undefined;
};

/**
 * An app whose tool calls and events have the types of its server's tools. `Name` is the tool, or the union
 * of tools, that this view belongs to.
 *
 * @example
 * ```ts source="./view.examples.ts#typedApp"
 * // `Tools` comes from the server: `export type Tools = ToolsOf<[typeof forecast]>`.
 * const app = new App({ name: "weather", version: "1.0.0" }) as TypedApp<Tools, "forecast">;
 * app.ontoolresult = ({ structuredContent }) => show(structuredContent?.list ?? []);
 * const { structuredContent } = await app.callServerTool({ name: "forecast", arguments: { city: "Rome" } });
 * ```
 */
export type TypedApp<
  Tools extends { [Name in keyof Tools]: ToolTypes },
  Name extends keyof Tools = keyof Tools,
> = Omit<App, "callServerTool" | "on" | keyof Handlers<ToolTypes>> &
  Handlers<Tools[Name]> & {
    on<Event extends keyof ViewEventMap>(
      event: Event,
      listener: (params: TypedEvent<Event, Tools[Name]>) => unknown,
    ): () => void;
    callServerTool<Called extends keyof Tools & string>(
      params: Omit<Params<"tools/call">, "name" | "arguments"> & {
        name: Called;
        arguments: Tools[Called]["input"];
      },
      options?: Parameters<App["callServerTool"]>[1],
    ): Promise<TypedResult<Tools[Called]["result"]>>;
  };
