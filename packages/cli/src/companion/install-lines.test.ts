/** The installation lines of docs/companion.md: all agents read the same command from them. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const docs = readFileSync(new URL("../../../../docs/companion.md", import.meta.url), "utf8");
const install = docs.slice(docs.indexOf("## Install it in an agent"), docs.indexOf("## Which servers"));
const command = { command: "vitrine", args: ["companion", "--demos"] };
const blocks = (language: string): string[] =>
  [...install.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, "g"))].map(([, text = ""]) => text);

it("Cursor and VS Code read the same command from their settings", () => {
  const [cursor = "", code = ""] = blocks("json");
  expect(JSON.parse(cursor)).toEqual({ mcpServers: { apps: command } });
  expect(JSON.parse(code)).toEqual({ servers: { apps: { type: "stdio", ...command } } });
});

it("Cursor's address has the same command", () => {
  const url = new URL(blocks("text")[0]?.trim() ?? "");
  expect(`${url.protocol}//${url.host}${url.pathname}`).toBe(
    "cursor://anysphere.cursor-deeplink/mcp/install",
  );
  expect(url.searchParams.get("name")).toBe("apps");
  expect(JSON.parse(atob(url.searchParams.get("config") ?? ""))).toEqual(command);
});

it("the command lines have the same command", () => {
  const line = [command.command, ...command.args].join(" ");
  const shell = blocks("sh").join("\n");
  expect(shell).toContain(`claude mcp add apps -- ${line}\n`);
  expect(shell).toContain(`codex mcp add apps -- ${line}\n`);
  const [, json = ""] = /code --add-mcp '(.*)'/.exec(shell) ?? [];
  expect(JSON.parse(json)).toEqual({ name: "apps", type: "stdio", ...command });
});
