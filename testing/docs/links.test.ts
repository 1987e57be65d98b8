/** Links between documents lead somewhere. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...readdirSync("docs", { recursive: true, encoding: "utf8" }).map((path) => join("docs", path)),
  ...readdirSync("packages").map((name) => `packages/${name}/README.md`),
].filter((path) => path.endsWith(".md"));

/** The names that GitHub gives to the headings of a document. */
const anchorsOf = (path: string): string[] =>
  [...readFileSync(path, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

describe.each(documents)("%s", (document) => {
  it("has no link that leads nowhere", () => {
    const links = [...readFileSync(document, "utf8").matchAll(/\]\(([^)\s]+)\)/g)].map(
      ([, link = ""]) => link,
    );
    const broken = links.filter((link) => {
      if (/^(https?|mailto):/.test(link)) return false;
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? document : join(dirname(document), path);
      if (!existsSync(target)) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});
