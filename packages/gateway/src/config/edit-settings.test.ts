import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editSettingsExample } from "./config.examples.js";
import { editSettings, type SettingsChange } from "./edit-settings.js";
import { parseJson } from "./json.js";

const FILE = `// My servers.
{
  // For work
  "mcpServers": {
    /* the forecast */
    "weather": {
      "command": "weather", // found in the PATH
      "args": ["--city", "Rome"],
      "env": { "KEY": "\${secret:WEATHER}" },
    },
    "lab": { "url": "https://lab.example/mcp" }, // not every day
    // "old": { "command": "old" },
  },
  "audit": { "payloads": "none" }
}
`;

describe("editSettings", () => {
  it("replaces one value and nothing else", () => {
    expect(editSettings(FILE, [{ path: ["mcpServers", "weather", "command"], value: "rain" }])).toBe(
      FILE.replace('"weather", // found', '"rain", // found'),
    );
    expect(editSettings(FILE, [{ path: ["mcpServers", "weather", "args", 1], value: "Oslo" }])).toBe(
      FILE.replace("Rome", "Oslo"),
    );
  });

  it("adds a member behind all comments, and keeps the trailing comma", () => {
    const change = { path: ["mcpServers", "new"], value: { url: "https://new.example/mcp" } };
    expect(editSettings(FILE, [change])).toBe(
      FILE.replace(
        '// "old": { "command": "old" },\n',
        '// "old": { "command": "old" },\n    "new": {\n      "url": "https://new.example/mcp"\n    },\n',
      ),
    );
  });

  it("adds a member to an object on one line", () => {
    expect(editSettings(FILE, [{ path: ["audit", "redact"], value: ["pin"] }])).toBe(
      FILE.replace('"none" }', '"none", "redact": [ "pin" ] }'),
    );
  });

  it("adds missing parents", () => {
    expect(editSettings("", [{ path: ["mcpServers", "a", "disabled"], value: true }])).toBe(
      '{\n  "mcpServers": {\n    "a": {\n      "disabled": true\n    }\n  }\n}\n',
    );
  });

  it("removes a member with its lines and the comment behind it", () => {
    expect(editSettings(FILE, [{ path: ["mcpServers", "lab"], value: undefined }])).toBe(
      FILE.replace(/ {4}"lab".*\n/, ""),
    );
    expect(editSettings(FILE, [{ path: ["mcpServers", "weather"], value: undefined }])).toBe(
      FILE.replace(/ {4}"weather"[\s\S]*? {4}\},\n/, ""),
    );
  });

  it("removes the comma before the last member, because other programs allow none there", () => {
    expect(editSettings('{\n  "a": 1, // one\n  "b": 2 // two\n}', [{ path: ["b"], value: undefined }])).toBe(
      '{\n  "a": 1 // one\n}',
    );
    expect(editSettings('{ "a": 1, "b": 2 }', [{ path: ["b"], value: undefined }])).toBe('{ "a": 1 }');
    expect(editSettings('{ "a": 1, "b": 2 }', [{ path: ["a"], value: undefined }])).toBe('{ "b": 2 }');
    expect(editSettings('{\n  "a": 1\n}', [{ path: ["a"], value: undefined }])).toBe("{}");
  });

  it("an object over an object changes only the keys that differ", () => {
    const value = { command: "weather", args: ["--city", "Rome"], cwd: "/srv" };
    expect(editSettings(FILE, [{ path: ["mcpServers", "weather"], value }])).toBe(
      FILE.replace(/ {6}"env".*\n/, '      "cwd": "/srv",\n'),
    );
  });

  it("keeps tabs, line ends and the byte order mark", () => {
    const text = '\uFEFF{\r\n\t"a": {\r\n\t\t"b": 1\r\n\t}\r\n}\r\n';
    expect(editSettings(text, [{ path: ["a", "c"], value: { d: 2 } }])).toBe(
      '\uFEFF{\r\n\t"a": {\r\n\t\t"b": 1,\r\n\t\t"c": {\r\n\t\t\t"d": 2\r\n\t\t}\r\n\t}\r\n}\r\n',
    );
  });

  it("a change that changes nothing leaves the text alone", () => {
    const value = parseJson(FILE);
    expect(editSettings(FILE, [{ path: ["audit"], value: Object(value).audit }])).toBe(FILE);
    expect(editSettings(FILE, [{ path: ["missing", "deep"], value: undefined }])).toBe(FILE);
  });

  it("refuses a path through a value without members, and text that is not valid", () => {
    expect(() => editSettings('{"a": 1}', [{ path: ["a", "b"], value: 2 }])).toThrow("a: has no such member");
    expect(() => editSettings('{"a": [1]}', [{ path: ["a", "b"], value: 2 }])).toThrow("a: has no such");
    expect(() => editSettings('{"a": ', [{ path: ["a"], value: 2 }])).toThrow("ends too early");
  });

  it("keys with dots, quotes and the name of a prototype are keys", () => {
    for (const name of ["a.b", 'say "hi"', "__proto__", "constructor"]) {
      const text = editSettings(FILE, [{ path: ["mcpServers", name], value: { command: "x" } }]);
      expect(Object.entries(Object(Object(parseJson(text))["mcpServers"]))).toContainEqual([
        name,
        { command: "x" },
      ]);
    }
  });

  it("any change of any text has the meaning of the change, and loses no comment outside of it", () => {
    const key = fc.constantFrom("a", "b", "c", "d e", "//", '"', "{");
    const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null));
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.dictionary(key, tie("value"), { maxKeys: 3 }),
        fc.array(tie("value"), { maxLength: 3 }),
      ),
    }));
    const file = fc.dictionary(key, value, { maxKeys: 4 });
    const style = fc.record({
      indent: fc.constantFrom(0, 2, "\t"),
      comments: fc.boolean(),
      comma: fc.boolean(),
    });
    const change = fc.record({
      path: fc.array(key, { minLength: 1, maxLength: 3 }),
      value: fc.option(value, { nil: undefined }),
    });
    fc.assert(
      fc.property(file, style, change, (before, { indent, comments, comma }, { path, value }) => {
        let count = 0;
        const plain = JSON.stringify(before, null, indent);
        const lines = plain.split("\n").map((line, index, all) => {
          const ends =
            comma && /[^[{,]$/.test(line) && /^\s*[\]}]/.test(all[index + 1] ?? "") ? `${line},` : line;
          return comments && indent ? `${ends} // c${++count}\n/* d${count} */` : ends;
        });
        const text = lines.join("\n");
        let edited: string;
        try {
          edited = editSettings(text, [{ path, value }]);
        } catch (error) {
          expect(String(error)).toMatch("has no such member");
          return;
        }
        expect(parseJson(edited)).toEqual(changed(before, { path, value }));
        // Comments in lines of their own, outside of what was there before.
        const gone = /* the text of the old value */ oldText(text, path);
        for (const [comment] of text.matchAll(/\/\* d\d+ \*\//g))
          if (!gone.includes(comment)) expect(edited).toContain(comment);
      }),
      { numRuns: 2_000 },
    );
  });

  it("the documented example works", () => {
    expect(editSettingsExample()).toContain("// my servers");
  });
});

/** The same change of plain values. */
function changed(before: unknown, { path: [key = "", ...rest], value }: SettingsChange): unknown {
  const members = Object.entries(Object(before));
  const old = members.find(([name]) => name === key);
  const next =
    rest.length > 0
      ? old || value !== undefined
        ? changed(old?.[1] ?? {}, { path: rest, value })
        : undefined
      : value;
  if (next === undefined) return Object.fromEntries(members.filter(([name]) => name !== key));
  return Object.fromEntries(
    old ? members.map(([name, each]) => [name, name === key ? next : each]) : [...members, [key, next]],
  );
}

/** A generous guess at the lines of a value: everything between the first and the last line that differ. */
function oldText(text: string, path: SettingsChange["path"]): string {
  try {
    const without = editSettings(text, [{ path, value: "\u0001" }]);
    let [from, to] = [0, 0];
    while (text[from] !== undefined && text[from] === without[from]) from++;
    while (to < text.length - from && text.at(-1 - to) === without.at(-1 - to)) to++;
    return text.slice(from, text.length - to);
  } catch {
    return text;
  }
}
