/**
 * Notes on a tool that some clients and providers mishandle, each with a way out. The protocol allows most of
 * it: a note is information, not an error.
 *
 * The notes rest on the API references of OpenAI, Anthropic and Google, and on public reports of errors from
 * their services and from the clients that a note names, as of November 2026.
 *
 * @module
 */
import { isRecord, isVisibleTo } from "@vitrine/protocol";
import { MOST_PARTS, placeOf, type SchemaPart, type SchemaReference, walkSchema } from "./schema-walk.js";

/** A note. In its text, code is between backticks. */
export interface SchemaNote {
  /** A stable name of the rule. */
  readonly id: string;
  readonly about: "tool" | "input schema" | "output schema";
  /** A sentence: who mishandles it, and a way out. */
  readonly text: string;
  /** The first places in the schema, such as `filter.tags[]`, each once. */
  readonly places: readonly string[];
  /** Further places. */
  readonly more: number;
}

/** The part of a tool that is looked at, as the server sent it: everything but its name may be anything. */
export interface NotedTool {
  readonly name: string;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly _meta?: unknown;
}

type Place = Omit<SchemaPart, "schema">;

/** Places that a note names. */
const MOST_PLACES = 3;
/** Limits of OpenAI's strict mode. */
const MOST_LEVELS = 10;
const MOST_PROPERTIES = 5_000;
/** Maximum characters of a name at OpenAI and Google, and in Cursor with the server's name and a separator. */
const MOST_NAME = 64;
const MOST_NAME_IN_CURSOR = 58;

/** The tools that the server sent, by name; of two with the same name, the first. */
export function notedTools(sent: readonly unknown[]): ReadonlyMap<string, NotedTool> {
  const tools = new Map<string, NotedTool>();
  for (const tool of sent) if (isNoted(tool) && !tools.has(tool.name)) tools.set(tool.name, tool);
  return tools;
}

const isNoted = (tool: unknown): tool is NotedTool => isRecord(tool) && typeof tool["name"] === "string";

/** The notes on a tool. Models do not see a tool that is only for apps: its input schema is not looked at. */
export function schemaNotes(tool: NotedTool): SchemaNote[] {
  const ofModel = isVisibleTo(tool, "model") ? [...toolNotes(tool), ...inputNotes(tool.inputSchema)] : [];
  return tool.outputSchema === undefined ? ofModel : [...ofModel, ...outputNotes(tool.outputSchema)];
}

/** Makes notes about one subject. There is none without a place. */
const noter =
  (about: SchemaNote["about"]) =>
  (id: string, places: readonly Place[] | boolean, text: string): SchemaNote[] => {
    if (places === false || (places !== true && places.length === 0)) return [];
    const all = places === true ? [] : places;
    const named = [...new Set(all.slice(0, MOST_PLACES).map((place) => placeOf(place) || "the root"))];
    return [{ id, about, text, places: named, more: all.length - named.length }];
  };

function toolNotes({ name, description }: NotedTool): SchemaNote[] {
  const note = noter("tool");
  return [
    ...note(
      "name-characters",
      !/^[\w-]+$/.test(name),
      "OpenAI and Anthropic accept only letters, digits, `_` and `-` in a tool's name: rename it, because some clients pass it on unchanged.",
    ),
    ...note(
      "name-start",
      /^[\d-]/.test(name),
      "Gemini accepts only a letter or `_` as the first character of a tool's name: rename it, because some clients pass it on unchanged.",
    ),
    ...(name.length > MOST_NAME
      ? note(
          "name-length",
          true,
          `OpenAI and Gemini reject a tool's name of more than ${MOST_NAME} characters, and many clients add the server's name: shorten it.`,
        )
      : note(
          "name-length",
          name.length > MOST_NAME_IN_CURSOR,
          "Cursor leaves out a tool whose name and server name have more than 60 characters together: shorten it.",
        )),
    ...note(
      "no-description",
      typeof description !== "string" || description.trim() === "",
      "Models choose tools by their descriptions, and Gemini's API reference has listed the description as required: write one.",
    ),
  ];
}

function inputNotes(schema: unknown): SchemaNote[] {
  const note = noter("input schema");
  const { parts, references, booleans, levels, properties, isCut } = walkSchema(schema);
  const root = isRecord(schema) ? schema : {};
  const where = (test: (schema: SchemaPart["schema"]) => boolean): SchemaPart[] =>
    parts.filter((part) => test(part.schema));
  const names = isRecord(root["properties"]) ? Object.keys(root["properties"]) : [];
  const argumentsThat = (test: (name: string) => boolean): Place[] =>
    names.filter(test).map((name) => ({ step: `.${name}` }));
  const combined = ["oneOf", "anyOf", "allOf"].filter((key) => Object.hasOwn(root, key));
  const restricted = ["enum", "const", "not"].filter((key) => Object.hasOwn(root, key));
  return [
    ...note(
      "root-type",
      root["type"] !== "object",
      'MCP requires `type: "object"` at the root of an input schema, and OpenAI and Anthropic reject anything else: put the value into a property.',
    ),
    ...note(
      "root-combined",
      combined.length > 0,
      `OpenAI and Anthropic reject ${codes(combined)} at the root of an input schema: move it into a property, or describe the rule and check it in the tool.`,
    ),
    ...note(
      "root-restricted",
      restricted.length > 0,
      `OpenAI rejects ${codes(restricted)} at the root of an input schema: describe the rule, and check it in the tool.`,
    ),
    ...note(
      "no-properties",
      root["type"] === "object" && !isRecord(root["properties"]),
      "OpenAI rejects an input schema without `properties`, and some clients do not add them: declare `properties: {}`.",
    ),
    ...note(
      "argument-characters",
      argumentsThat((name) => !ANTHROPIC_ARGUMENT.test(name)),
      "Anthropic accepts only letters, digits, `_`, `.` and `-`, at most 64, in an argument's name: rename it.",
    ),
    ...note(
      "argument-characters-gemini",
      argumentsThat((name) => ANTHROPIC_ARGUMENT.test(name) && !/^[a-z_]\w*$/i.test(name)),
      "Gemini's API reference allows only letters, digits and `_`, and no digit first, in an argument's name: rename it.",
    ),
    ...note(
      "array-items",
      where(({ type, items }) => typesOf(type).includes("array") && items === undefined),
      "OpenAI, Gemini and VS Code reject an array without `items`: declare them.",
    ),
    ...note(
      "type-list",
      where(({ type }) => Array.isArray(type)),
      "Gemini accepts only one `type`, and some clients pass a list on: use `anyOf`, or an optional property instead of `null`.",
    ),
    ...note(
      "enum-values",
      where(({ enum: values }) => Array.isArray(values) && values.some((value) => typeof value !== "string")),
      "Gemini accepts only strings in `enum`, and some clients pass other values on: list them as strings, or in the description.",
    ),
    ...referenceNotes(
      note,
      references,
      "Anthropic's strict tools support no recursive schema, and some clients fail to write it out: repeat it to a fixed depth.",
    ),
    ...note(
      "reference",
      references.some(({ kind }) => kind === "recursive") ? [] : partsOf(references, "local"),
      "Some clients lose `$ref` on the way to Gemini, or send one that it rejects: write the schema where it is used.",
    ),
    ...booleanNotes(note, booleans),
    ...note(
      "format",
      where(({ type, format }) => typesOf(type).includes("string") && !GEMINI_FORMATS.includes(format)),
      "Some versions of the Gemini API reject every `format` of a string but `date-time` and `enum`: explain it in the description.",
    ),
    ...note(
      "default",
      where((each) => Object.hasOwn(each, "default")),
      "Gemini ignores `default`: name the value in the description too, and apply it in the tool.",
    ),
    ...note(
      "pattern",
      where(({ pattern }) => typeof pattern === "string"),
      "Some clients leave out `pattern` for Gemini: explain it in the description too, and check it in the tool.",
    ),
    ...note(
      "levels",
      levels > MOST_LEVELS,
      `OpenAI's strict mode allows ${MOST_LEVELS} levels of objects, and this schema has ${levels}: make it flatter.`,
    ),
    ...note(
      "properties",
      properties > MOST_PROPERTIES,
      `OpenAI's strict mode allows ${MOST_PROPERTIES.toLocaleString("en")} properties in a schema: split the tool.`,
    ),
    ...cutNotes(note, isCut),
  ];
}

/** Providers get no output schema, but clients read it when they list the tools. */
function outputNotes(schema: unknown): SchemaNote[] {
  const note = noter("output schema");
  const { references, booleans, isCut } = walkSchema(schema);
  return [
    ...note(
      "root-type",
      !isRecord(schema) || schema["type"] !== "object",
      'Clients of revisions before 2026-07-28 require `type: "object"` at the root of an output schema: put the value into a property.',
    ),
    ...referenceNotes(
      note,
      references,
      "Claude Code 2.1.207 lists no tool of a server with a recursive output schema: repeat it to a fixed depth.",
    ),
    ...booleanNotes(note, booleans),
    ...cutNotes(note, isCut),
  ];
}

type Noter = ReturnType<typeof noter>;

const referenceNotes = (
  note: Noter,
  references: readonly SchemaReference[],
  ofRecursion: string,
): SchemaNote[] => [
  ...note("recursive", partsOf(references, "recursive"), ofRecursion),
  ...note(
    "reference-missing",
    partsOf(references, "missing"),
    "The schema has nothing where this `$ref` points to, and Gemini CLI fails to list the server's tools: add the definition.",
  ),
  ...note(
    "reference-external",
    partsOf(references, "external"),
    "Anthropic's strict tools support no `$ref` to another document, and some clients load none: copy the definition into the schema.",
  ),
];

const booleanNotes = (note: Noter, booleans: readonly Place[]): SchemaNote[] =>
  note(
    "boolean-schema",
    booleans,
    "Some versions of Claude Code list no tool of a server with `true` or `false` as a property's schema: use an object, such as `{}`.",
  );

const cutNotes = (note: Noter, isCut: boolean): SchemaNote[] =>
  note(
    "cut",
    isCut,
    `Only the first ${MOST_PARTS.toLocaleString("en")} parts of the schema were checked: make it smaller.`,
  );

const ANTHROPIC_ARGUMENT = /^[\w.-]{1,64}$/;
const GEMINI_FORMATS: readonly unknown[] = [undefined, "date-time", "enum"];

const partsOf = (references: readonly SchemaReference[], wanted: SchemaReference["kind"]): SchemaPart[] =>
  references.filter(({ kind }) => kind === wanted).map(({ part }) => part);

const typesOf = (type: unknown): readonly unknown[] => (Array.isArray(type) ? type : [type]);

const codes = (keys: readonly string[]): string => keys.map((key) => `\`${key}\``).join(" and ");
