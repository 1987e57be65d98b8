import { describe, expect, it } from "vitest";
import { draftOf, fieldsOf, suggestedName, valueRow } from "./server-fields.js";

describe("the name of a new server", () => {
  it.each([
    ["npx -y @modelcontextprotocol/server-everything --stdio 'a b'", "server-everything"],
    ["/usr/bin/node ./notes.mjs --stdio", "notes"],
    ["uv run weather.py", "weather"],
    ["my-server lab", "my-server"],
    [
      "node node_modules/@modelcontextprotocol/server-budget-allocator/dist/index.js",
      "server-budget-allocator",
    ],
    ["node dist/index.js", "index"],
    ["npx -y @scope/notes@1.2.3", "notes"],
    ["npx notes@latest", "notes"],
    ["", ""],
  ])("comes from the command: %s", (line, name) => {
    expect(suggestedName({ kind: "command", url: "", line })).toBe(name);
  });

  it("comes from the host of the address", () => {
    expect(suggestedName({ kind: "address", url: "https://mcp.example.com/mcp", line: "" })).toBe(
      "example.com",
    );
  });
});

describe("the draft of a form", () => {
  it("keeps values that the page does not know, unless the user writes another one", () => {
    const server = {
      name: "a",
      version: "1",
      disabled: false,
      url: "https://a.example",
      headers: { Key: "secret", Team: "text", Old: "text" },
    } as const;
    const fields = fieldsOf("address", server);
    const headers = fields.headers
      .filter(({ name }) => name !== "Old")
      .map((row) => (row.name === "Team" ? { ...row, value: "blue" } : row));
    expect(
      draftOf({ ...fields, headers: [...headers, valueRow({ name: "New", value: "s" }), valueRow()] }),
    ).toEqual({
      url: "https://a.example",
      headers: { Key: { keep: true }, Team: { text: "blue" }, New: { secret: "s" } },
    });
  });

  it("an unchanged form of a command is that command", () => {
    const server = {
      name: "a",
      version: "1",
      disabled: false,
      command: "node",
      args: ["a b", "", '"'],
      cwd: "/srv",
      isolation: { driver: "bubblewrap", network: true, read: ["/a", "/b"] },
    } as const;
    expect(
      draftOf(
        fieldsOf("command", {
          ...server,
          args: [...server.args],
          isolation: { ...server.isolation, read: ["/a", "/b"] },
        }),
      ),
    ).toMatchObject({
      command: "node",
      args: ["a b", "", '"'],
      cwd: "/srv",
      isolation: { driver: "bubblewrap", network: true, read: ["/a", "/b"] },
    });
  });

  it("says what is missing", () => {
    expect(draftOf(fieldsOf("address"))).toMatch("Enter the address");
    expect(draftOf(fieldsOf("command"))).toMatch("Enter the command");
    expect(draftOf({ ...fieldsOf("command"), line: "a 'b" })).toMatch("Close all quotes");
  });
});
