/** The documents describe the gateway correctly. */
import { readFileSync } from "node:fs";
import { readSettings } from "@vitrine/gateway";
import { describe, expect, it } from "vitest";
import { STATUSES } from "../../packages/gateway/src/http/http-error.js";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** The words of a union of strings in a source file. */
function wordsOf(source: string, union: string): string[] {
  const [, body = ""] = new RegExp(`type ${union} =([\\s\\S]+?");`).exec(read(source)) ?? [];
  return [...body.matchAll(/\| "([^"]+)"/g)].map(([, word = ""]) => word);
}

describe("docs/errors.md", () => {
  const text = read("docs/errors.md");
  const [, gateway = ""] = /\n## The gateway\n([\s\S]*?)\n## /.exec(text) ?? [];
  const rows = [...gateway.matchAll(/^\| `([a-z-]+)` +\| (\d{3}) +\| \S.+ \| \S.+ \|$/gm)];
  const told = Object.fromEntries(rows.map(([, word = "", status]) => [word, Number(status)]));

  it.each([
    ["GatewayErrorCode", "packages/wire/src/gateway-error.ts"],
    ["HttpErrorCode", "packages/gateway/src/http/http-error.ts"],
  ])("describes every code of %s, with the solution", (union, source) => {
    const words = wordsOf(source, union);
    expect(words.length).toBeGreaterThan(10);
    expect(words.filter((word) => !(word in told))).toEqual([]);
  });

  it("has the status of each code, and no unknown code", () => {
    expect(Object.entries(told).filter(([word, status]) => STATUSES[word] !== status)).toEqual([]);
  });
});

describe("docs/gateway", () => {
  const pages = ["run", "policy", "isolation", "reverse-proxy"].map((name) => `docs/gateway/${name}.md`);
  const settings = pages.flatMap((page) =>
    [...read(page).matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => ({ page, text })),
  );

  it("has settings that can be read", async () => {
    expect(settings.length).toBeGreaterThanOrEqual(4);
    const secrets = async () => ({ get: async () => "a token of twenty characters" });
    for (const { page, text } of settings)
      await expect(
        readSettings(text, { file: page, env: { HOME: "/home/ana" }, secrets }),
      ).resolves.toBeDefined();
  });

  it("names no option that the command does not have", () => {
    const usage = read("packages/gateway/src/main.ts");
    const shown = pages.flatMap((page) =>
      [...read(page).matchAll(/vitrine-gateway( [^\n`]*)/g)].flatMap(([, words = ""]) => {
        const [ours = ""] = words.split(" -- ");
        return [...ours.matchAll(/--[a-z-]+/g)].map(([option]) => option);
      }),
    );
    expect(shown).toContain("--config");
    expect(shown.filter((option) => !usage.includes(`  ${option} `))).toEqual([]);
  });
});
