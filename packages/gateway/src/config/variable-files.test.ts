import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as examples from "./config.examples.js";
import { readVariableFiles } from "./variable-files.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-variables-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe("readVariableFiles", () => {
  it("sets a variable to the text of the file that is named for it, without the last line break", () => {
    const env = {
      VITRINE_KEY_FILE: file("key", "0123\n"),
      VITRINE_DATABASE_PASSWORD_FILE: file("password", "  a\nb\r\n"),
      PATH: "/bin",
    };
    readVariableFiles(env);
    expect(env).toEqual({ VITRINE_KEY: "0123", VITRINE_DATABASE_PASSWORD: "  a\nb", PATH: "/bin" });
  });

  it("leaves variables of other programs alone", () => {
    const env = { SSL_CERT_FILE: "/missing", VITRINE_FILE: "/missing", MY_VITRINE_KEY_FILE: "/missing" };
    const before = { ...env };
    readVariableFiles(env);
    expect(env).toEqual(before);
  });

  it.each([
    ["a missing file", () => ({ VITRINE_KEY_FILE: join(folder, "missing") }), /VITRINE_KEY_FILE: .*ENOENT/],
    ["an empty file", () => ({ VITRINE_KEY_FILE: file("empty", "\n") }), /VITRINE_KEY_FILE: .* is empty/],
    [
      "a variable that is also set itself",
      () => ({ VITRINE_KEY_FILE: file("other", "1"), VITRINE_KEY: "2" }),
      /VITRINE_KEY and VITRINE_KEY_FILE are both set/,
    ],
  ])("refuses %s", (_, env, message) => {
    expect(() => readVariableFiles(env())).toThrow(message);
  });

  it("works like its example", () => {
    expect(examples.readVariableFilesExample(file("example", "secret"))).toEqual({ VITRINE_KEY: "secret" });
  });
});
