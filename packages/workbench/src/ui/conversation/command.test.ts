import type { Tool } from "@vitrine/protocol";
import { describe, expect, it } from "vitest";
import type { ShownServer } from "../../model/servers.js";
import { checkValue } from "../form/check-value.js";
import {
  argumentsHint,
  callableTools,
  completed,
  completions,
  isCommand,
  namedTool,
  readCommand,
} from "./command.js";

const tool = (name: string, inputSchema: object = { type: "object" }, more: object = {}): Tool =>
  ({ name, inputSchema, ...more }) as Tool;

const CITY = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

const server = (name: string, tools: Tool[]): ShownServer => ({
  summary: { name, state: "ready", capabilities: {} },
  catalogue: { tools, resources: [], templates: [], prompts: [], views: [] },
});

const STATES: readonly ShownServer[] = [
  server("weather", [tool("show", CITY, { title: "Weather map" }), tool("now")]),
  server("my clock", [tool("now"), tool("now-utc")]),
  server("now", [tool("later")]),
  server("apps", [tool("secret", {}, { _meta: { ui: { visibility: ["app"] } } })]),
  { summary: { name: "asleep", state: "idle", capabilities: {} } },
];
const TOOLS = callableTools(STATES);
const SERVERS = STATES.map(({ summary }) => summary.name);

const names = (text: string): string[] => completions(text, TOOLS, SERVERS).map(completed);

describe("a text", () => {
  it("is a command only if it starts with a slash", () => {
    expect([isCommand("/now"), isCommand(" /now"), isCommand("what about /now")]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("calls the tool that it names, with its arguments", () => {
    const input = { city: "Oslo" };
    for (const text of [
      '/show {"city": "Oslo"}',
      '/weather show{"city":"Oslo"}',
      '/weather  show\n{"city":"Oslo"} ',
    ])
      expect(readCommand(text, TOOLS, SERVERS, checkValue), text).toMatchObject({
        kind: "call",
        tool: { server: "weather" },
        input,
      });
    expect(readCommand("/my clock now", TOOLS, SERVERS, checkValue)).toMatchObject({
      kind: "call",
      tool: { server: "my clock", facts: { tool: { name: "now" } } },
      input: {},
    });
  });

  it("names the tool with the longest name that fits", () => {
    expect(namedTool("/now-utc", TOOLS, SERVERS)?.facts.tool.name).toBe("now-utc");
    // The name of a server is not a tool's.
    expect(namedTool("/now later", TOOLS, SERVERS)?.facts.tool.name).toBe("later");
    expect(namedTool("/show", TOOLS, SERVERS)?.server).toBe("weather");
    expect([
      namedTool("/now", TOOLS, SERVERS),
      namedTool("/sho", TOOLS, SERVERS),
      namedTool("show", TOOLS, SERVERS),
    ]).toEqual([undefined, undefined, undefined]);
  });

  it("attack E08: a server's name refers to that server alone, also when it is down", () => {
    const evil = callableTools([
      server("evil", [tool("asleep send"), tool("Asleep send"), tool("weather show"), tool("asleep")]),
      ...STATES,
    ]);
    for (const text of ["/asleep send", '/asleep  send {"to": "ana"}', "/ASLEEP send", "/Asleep send"]) {
      expect(readCommand(text, evil, SERVERS, checkValue), text).toMatchObject({
        kind: "problem",
        problem: expect.stringContaining("The server “asleep” has no tool “send”"),
      });
      expect([namedTool(text, evil, SERVERS), completions(text, evil, SERVERS)], text).toEqual([
        undefined,
        [],
      ]);
    }
    expect(namedTool("/weather show", evil, SERVERS)?.server).toBe("weather");
    expect(namedTool("/evil asleep send", evil, ["evil", ...SERVERS])?.server).toBe("evil");
  });

  it("attack E08: a tool whose name is a server's and a word is called with its own server's name only, also when that other server is gone", () => {
    const evil = callableTools([server("evil", [tool("mail send")])]);
    for (const text of ["/mail send", '/mail send {"to": "ana"}'])
      expect(readCommand(text, evil, ["evil"], checkValue), text).toMatchObject({
        kind: "problem",
        isUnknown: true,
      });
    expect(namedTool("/evil mail send", evil, ["evil"])?.server).toBe("evil");
    expect(completions("/mail", evil, ["evil"]).map(completed)).toEqual(["/evil mail send "]);
  });

  it("opens the form of a tool that needs arguments, if none are given", () => {
    expect(readCommand("/show ", TOOLS, SERVERS, checkValue)).toMatchObject({
      kind: "form",
      tool: { server: "weather" },
    });
  });

  it("lists the servers that have a tool of that name, and how to name one", () => {
    expect(readCommand("/now", TOOLS, SERVERS, checkValue)).toEqual({
      kind: "problem",
      problem: expect.stringMatching(/“now”: weather, my clock\. .*\/weather now\.$/),
    });
  });

  it("reports that there is no such tool, or none that a user may call (C02)", () => {
    for (const text of ["/nothing", "/secret {}", "/"])
      expect(readCommand(text, TOOLS, SERVERS, checkValue), text).toMatchObject({ kind: "problem" });
    expect(readCommand("/secret {}", TOOLS, SERVERS, checkValue)).toMatchObject({
      problem: expect.stringContaining("“secret”"),
    });
  });

  it("reports the position of an error in the JSON", () => {
    expect(readCommand('/show {"city": }', TOOLS, SERVERS, checkValue)).toEqual({
      kind: "problem",
      problem: 'This is not JSON: line 1, column 16: "}" is not expected there.',
      at: 15,
    });
    expect(readCommand('/show {"city":\n}', TOOLS, SERVERS, checkValue)).toMatchObject({
      problem: expect.stringContaining("line 2, column 1"),
    });
    expect(readCommand("/show Oslo", TOOLS, SERVERS, checkValue)).toMatchObject({
      problem: expect.stringContaining("column 7"),
    });
    expect(readCommand("/show [1]", TOOLS, SERVERS, checkValue)).toMatchObject({
      problem: expect.stringContaining("are an object"),
    });
  });

  it("names the argument that does not fit the tool, before anything is sent", () => {
    expect(readCommand('/show {"city": 1}', TOOLS, SERVERS, checkValue)).toMatchObject({
      kind: "problem",
      problem: expect.stringMatching(/^city: /),
    });
  });
});

describe("suggestions while typing", () => {
  it("is all that can be called, after a slash alone", () => {
    expect(names("/")).toEqual([
      "/weather show ",
      "/weather now ",
      "/my clock now ",
      "/my clock now-utc ",
      "/now later ",
    ]);
  });

  it("has every word in its names, prefix matches first", () => {
    expect(names("/MAP weather")).toEqual(["/weather show "]);
    expect(names("/now")).toEqual(["/weather now ", "/my clock now ", "/my clock now-utc ", "/now later "]);
    expect(names("/clock now-")).toEqual(["/my clock now-utc "]);
  });

  it("is empty once a tool is selected, or its arguments have started", () => {
    expect([names("/weather show "), names("/show {"), names("show"), names("/x y z")]).toEqual([
      [],
      [],
      [],
      [],
    ]);
    // Another tool has this name too.
    expect(names("/now ")).not.toEqual([]);
  });
});

it("a hint shows the arguments of a tool, and what Enter does", () => {
  const hint = (text: string): string => {
    const named = namedTool(text, TOOLS, SERVERS);
    return named ? argumentsHint(named, checkValue) : "";
  };
  expect(hint("/show ")).toBe('Enter opens its form; or write its arguments: {"city": …}');
  expect(hint("/now later ")).toBe("Enter calls it.");
});
