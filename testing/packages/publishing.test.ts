/** Publint and "Are the types wrong?" find no mistake in a package as it is published. */
import { checkPackage, Package } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { beforeAll, describe, expect, it } from "vitest";
import { type Packed, packedPackages } from "../registry/tarball.ts";

/**
 * Every package is ESM with `exports`. These two ways to resolve do not support one of the two; attw's
 * profile `esm-only` also ignores them.
 */
const NOT_SUPPORTED = ["node10", "node16-cjs"];
/** A classic script for pages, which is never imported. */
const SCRIPT = "./vitrine.js";

type Files = ReadonlyMap<string, string>;

async function publintOf(files: Files): Promise<string[]> {
  const pack = {
    files: [...files].map(([name, text]) => ({
      name: `package/${name}`,
      data: new TextEncoder().encode(text),
    })),
  };
  const { messages, pkg } = await publint({ pkgDir: "package", pack, strict: true });
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
}

async function wrongTypesOf(name: string, files: Files): Promise<string[]> {
  const { version } = JSON.parse(files.get("package.json") ?? "{}");
  const entries = [...files].map(([path, text]) => [`/node_modules/${name}/${path}`, text]);
  const all = new Package(Object.fromEntries(entries), name, version);
  const result = await checkPackage(all, { excludeEntrypoints: [SCRIPT] });
  if (!result.types) return ["no types"];
  return result.problems.flatMap((problem) =>
    "resolutionKind" in problem && NOT_SUPPORTED.includes(problem.resolutionKind)
      ? []
      : [`${problem.kind} ${"entrypoint" in problem ? problem.entrypoint : ""}`],
  );
}

let packages: Packed[];
beforeAll(async () => {
  packages = await packedPackages();
});

describe("every package", () => {
  it("is clean to publint", async () => {
    for (const { name, files } of packages) expect(await publintOf(files), name).toEqual([]);
  });

  it("has types that are right wherever it can be imported", async () => {
    for (const { name, files } of packages) expect(await wrongTypesOf(name, files), name).toEqual([]);
  });

  it("with a mistake is found out by both", async () => {
    const files = new Map(packages.find(({ name }) => name === "@vitrine/wire")?.files);
    const manifest = JSON.parse(files.get("package.json") ?? "{}");
    manifest.exports = { ".": { default: "./dist/index.js", types: "./dist/missing.d.ts" } };
    files.set("package.json", JSON.stringify(manifest));
    expect((await publintOf(files)).join("\n")).toMatch(/missing\.d\.ts.*does not exist/);
    files.delete("dist/index.d.ts");
    expect(await wrongTypesOf("@vitrine/wire", files)).toContain("UntypedResolution .");
  });
});
