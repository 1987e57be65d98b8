import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { unknownCommand } from "./unknown-command.js";

const folder = mkdtempSync(join(tmpdir(), "vitrine-unknown-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const bin = join(folder, "bin");
for (const name of ["bin", "my-server"]) mkdirSync(join(folder, name));
writeFileSync(join(bin, "npx"), "", { mode: 0o755 });

it.each<[string, string[], string | undefined, string]>([
  ["a path", ["./server", "--port", "9000"], undefined, "did you mean vitrine dev ./server --port 9000?"],
  ["a command", ["npx -y server"], undefined, "did you mean vitrine dev 'npx -y server'?"],
  ["an address", ["https://example.com/mcp"], undefined, "did you mean vitrine dev https://example.com/mcp?"],
  ["a folder, though a command is like it", ["my-server"], "serve", "did you mean vitrine dev my-server?"],
  ["a demo", ["weather"], undefined, "did you mean vitrine dev weather?"],
  ["a typing mistake", ["tols", "x y"], "tools", "did you mean vitrine tools 'x y'?"],
  ["a command without quotes", ["npx", "-y", "s"], undefined, "did you mean vitrine dev 'npx -y s'?"],
  ["a quote", ["./it's"], undefined, "did you mean vitrine dev './it'\\''s'?"],
  ["a program alone", ["npx"], undefined, "vitrine --help lists them, and vitrine dev npx opens"],
  ["anything else", ["shop"], undefined, "vitrine --help lists them, and vitrine dev shop opens"],
])("%s is not a command, and the message suggests one", async (_what, words, near, meant) => {
  const error = await unknownCommand(words, near, { cwd: folder, env: { PATH: bin } });
  expect(error).toMatchObject({ code: "usage", exit: 2 });
  expect(error.message).toContain(`there is no command "${words[0]}"; ${meant}`);
});
