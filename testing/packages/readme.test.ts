/** Every package's README describes it, says how to install it, and shows working code. */
import { readdirSync, readFileSync } from "node:fs";
import { inspect } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";

const LINES = 30;

/** Returns one line for each mistake in a README. */
function mistakesIn(readme: string, name: string): string[] {
  const [fence = "", language = "", source = "", code = ""] =
    /^```(\w+)( source="[^"]+")?\n((?!npm install)[\s\S]*?)^```$/m.exec(readme) ?? [];
  const lines = code.trim().split("\n").length;
  const isCommand = language === "sh";
  return [
    ...(readme.startsWith(`# ${name}\n\n`) ? [] : [`the title is not ${name}`]),
    ...(new RegExp(`^npm install .*${name}( |$)`, "m").test(readme) ? [] : ["no line installs it"]),
    ...(fence === "" ? ["it shows no code"] : []),
    ...(isCommand || source !== "" ? [] : ["its code is not compiled: name the source of the snippet"]),
    ...(isCommand || code.includes(`from "${name}`) ? [] : ["its code does not import the package"]),
    ...(lines > LINES ? [`its code has ${lines} lines, and not ${LINES} at most`] : []),
    ...(readme.includes("](../../docs/") ? [] : ["it links to no document"]),
  ];
}

const packages = readdirSync("packages").map((folder) => ({
  name: JSON.parse(readFileSync(`packages/${folder}/package.json`, "utf8")).name as string,
  path: `packages/${folder}/README.md`,
}));

describe.each(packages)("the README of $name", ({ name, path }) => {
  it("has a title, an install line, code with its imports, and links", () => {
    expect(mistakesIn(readFileSync(path, "utf8"), name)).toEqual([]);
  });
});

it("a README with mistakes is found out", () => {
  const code = '```ts\nimport { x } from "elsewhere";\n```\n';
  expect(mistakesIn(`# Wire\n\n${code}`, "@vitrine/wire")).toEqual([
    "the title is not @vitrine/wire",
    "no line installs it",
    "its code is not compiled: name the source of the snippet",
    "its code does not import the package",
    "it links to no document",
  ]);
});

describe("the code in a README prints what its comments say", () => {
  afterEach(() => void vi.restoreAllMocks());

  it.each(["protocol", "wire", "sandbox"])("%s", async (name) => {
    const printed: string[] = [];
    vi.spyOn(console, "log").mockImplementation((...values) => {
      printed.push(values.map((each) => (typeof each === "string" ? each : inspect(each))).join(" "));
    });
    await import(`../../examples/readme/${name}.ts`);
    const source = readFileSync(`examples/readme/${name}.ts`, "utf8");
    const said = [...source.matchAll(/; {1,2}\/\/ (.+)$/gm)].map(([, text]) => text);
    expect(printed).toEqual(said);
    expect(printed.length).toBeGreaterThan(0);
  });
});
