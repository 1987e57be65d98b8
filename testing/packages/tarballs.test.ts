/** Published packages contain everything that users need, and no internal files. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { licenseText, packageFolders } from "../../scripts/licenses.mjs";
import { type Packed, packedPackages } from "../registry/tarball.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "vitrine-tarballs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let packages: Packed[];
beforeAll(async () => {
  packages = await packedPackages();
});

type Files = ReadonlyMap<string, string>;

/** Build results for internal use. `host-test-*` is the page's code for `--test-mode`. */
const OURS =
  /\.map$|tsbuildinfo|\.(test|test-d|examples)\.|(^|\/)(faulty|fixtures?|__\w+__)(\/|\.|$)|^(src|node_modules)\/|tsconfig/;
/** Tests of the projects that `vitrine new` writes. */
const OF_PROJECTS = /^templates\//;
const MODULE = /(?:\bfrom\s*|\bimport\s*\(?\s*)["']([^"'\n]+)["']/g;

/** Returns one line for each mistake in a package. */
function mistakesIn(files: Files): string[] {
  const manifest = JSON.parse(files.get("package.json") ?? "{}");
  const entries: string[] = [...targetsOf(manifest.exports), ...targetsOf(manifest.bin)].map((path) =>
    posix.normalize(path),
  );
  const missing = ["README.md", "LICENSE", ...entries].filter((path) => !files.has(path));
  const unwanted = [...files.keys()].filter((path) => OURS.test(path) && !OF_PROJECTS.test(path));
  const mapped = [...files].filter(([, text]) => /^\/\/# sourceMappingURL=(?!data:)/m.test(text));
  return [
    ...missing.map((path) => `${path} is missing`),
    ...unwanted.map((path) => `${path} does not belong in a package`),
    ...mapped.map(([path]) => `${path} names a source map, which is not in the package`),
    ...unresolved(files, manifest),
  ];
}

const targetsOf = (entries: unknown): string[] =>
  typeof entries === "string" ? [entries] : Object.values(entries ?? {}).flatMap(targetsOf);

/** Imports that resolve to no file of the package and to none of its dependencies. */
function unresolved(files: Files, manifest: Record<string, Record<string, unknown>>): string[] {
  const own = String(manifest["name"]);
  const known = [own, ...Object.keys({ ...manifest["dependencies"], ...manifest["peerDependencies"] })];
  return [...files].flatMap(([path, text]) => {
    if (!/^(dist|bin)\/.*\.(m?js|d\.ts)$/.test(path) || path.startsWith("dist/page/")) return [];
    return [...withoutComments(text).matchAll(MODULE)].flatMap(([, name = ""]) => {
      if (name.startsWith(".")) {
        const target = posix.join(posix.dirname(path), name);
        const found = path.endsWith(".d.ts") ? target.replace(/\.js$/, ".d.ts") : target;
        return files.has(found) || files.has(target)
          ? []
          : [`${path} imports ${name}, which is not in the package`];
      }
      const [scope = "", second] = name.split("/");
      const dependency = scope.startsWith("@") ? `${scope}/${second}` : scope;
      if (name.startsWith("node:") || known.includes(dependency) || !/^[@a-z]/.test(name)) return [];
      return [`${path} imports ${name}, on which the package does not depend`];
    });
  });
}

const withoutComments = (text: string): string => text.replace(/^\s*(\/?\*|\/\/).*$/gm, "");

describe("every package", () => {
  it("has its entry points, README and licence, resolves its imports, and has nothing that is for us alone", () => {
    expect(packages.length).toBeGreaterThanOrEqual(10);
    for (const { name, files } of packages) expect(mistakesIn(files), name).toEqual([]);
  });

  it("with a mistake is found out", () => {
    const [{ files } = { files: new Map() }] = packages.filter(({ name }) => name === "@vitrine/wire");
    const broken = new Map(files);
    for (const path of ["LICENSE", "README.md", "dist/index.d.ts", "dist/session/frame.js"])
      broken.delete(path);
    broken
      .set("dist/.tsbuildinfo", "")
      .set("dist/frame.test.js", "")
      .set("dist/servers/faulty/faulty.mjs", "");
    broken.set("dist/limits.js", 'import "left-pad";\n//# sourceMappingURL=limits.js.map');
    const mistakes = mistakesIn(broken);
    expect(mistakes).toEqual(
      expect.arrayContaining([
        "README.md is missing",
        "LICENSE is missing",
        "dist/index.d.ts is missing",
        "dist/.tsbuildinfo does not belong in a package",
        "dist/frame.test.js does not belong in a package",
        "dist/servers/faulty/faulty.mjs does not belong in a package",
        "dist/limits.js names a source map, which is not in the package",
        "dist/session/session.js imports ./frame.js, which is not in the package",
        "dist/limits.js imports left-pad, on which the package does not depend",
      ]),
    );
  });

  it("of the command has the demos, with their pages", () => {
    const { files } = packages.find(({ name }) => name === "vitrine") ?? { files: new Map() };
    const demos = ["weather", "board", "lab"];
    expect(demos.filter((name) => !files.has(`dist/demos/${name}.js`))).toEqual([]);
    const pages = [...files].filter(([path]) => /^dist\/demos\/\w+\/view\/.+\.html$/.test(path));
    expect(pages.length).toBeGreaterThanOrEqual(7);
    for (const [path, html] of pages) {
      const needed = [...html.matchAll(/(?:src|href)="([\w-]+\.(?:js|css))"/g)].map(([, name]) => name);
      expect(needed, path).not.toEqual([]);
      for (const name of needed)
        expect([...files.keys()]).toContain(posix.join(posix.dirname(path), `${name}`));
    }
  });

  it("names no folder of this machine", () => {
    for (const { name, files } of packages)
      for (const [path, text] of files) expect(text.includes(ROOT), `${name}: ${path}`).toBe(false);
  });
});

describe("third-party code in a bundle", () => {
  const bundling = (): Packed[] => packages.filter(({ files }) => files.has("dist/licenses.txt"));
  /** Build-time libraries, which are not installed with the package. */
  const builtWith = ({ folder: source }: Packed): string[] => {
    const manifest = JSON.parse(readFileSync(`packages/${source}/package.json`, "utf8"));
    const { devDependencies = {}, peerDependencies = {} } = manifest;
    return Object.keys(devDependencies).filter(
      (each) => !each.startsWith("@vitrine/") && !peerDependencies[each],
    );
  };

  it("comes with its licences", () => {
    expect(bundling().map(({ name }) => name)).toEqual(["@vitrine/gateway", "@vitrine/workbench"]);
    for (const each of bundling()) {
      const text = each.files.get("dist/licenses.txt") ?? "";
      expect(builtWith(each).length, each.name).toBeGreaterThan(0);
      for (const library of builtWith(each)) {
        const { version } = JSON.parse(readFileSync(`node_modules/${library}/package.json`, "utf8"));
        expect(text.split("\n"), each.name).toContain(`${library} ${version}`);
      }
    }
  });

  it("is in no other package", () => {
    const others = packages.filter((each) => !bundling().includes(each));
    for (const each of others) expect(builtWith(each), each.name).toEqual([]);
  });

  it("is found by its modules, with the packages that it brings; one without a licence stops the build", () => {
    const modules = ["react/index.js", "@rjsf/core/lib/index.js", "@vitrine/host/dist/index.js"];
    const folders = packageFolders([
      "\0vite/helper",
      ...modules.map((path) => `${ROOT}node_modules/${path}`),
    ]);
    expect(folders.map((each) => each.slice(`${ROOT}node_modules/`.length))).toEqual(["@rjsf/core", "react"]);
    expect(licenseText(folders)).toMatch(/react 19\.[\s\S]*MIT License[\s\S]*Copyright \(c\) Meta/);
    const nameless = join(folder, "node_modules", "nameless");
    mkdirSync(nameless, { recursive: true });
    writeFileSync(join(nameless, "package.json"), '{"name":"nameless","version":"1.0.0"}');
    expect(() => licenseText(packageFolders([join(nameless, "index.js")]))).toThrow(
      "nameless 1.0.0 is in a bundle, and does not say under which licence",
    );
  });
});

describe("packing is refused", () => {
  const place = join(folder, "packages", "wire");
  const stamp = join(folder, "node_modules/.cache/vitrine-build");
  const prepack = () => {
    const script = join(ROOT, "scripts/prepack.mjs");
    const { status, stderr } = spawnSync(process.execPath, [script], { cwd: place, encoding: "utf8" });
    return { status, stderr };
  };
  beforeAll(() => {
    for (const path of ["src", "dist"]) mkdirSync(join(place, path), { recursive: true });
    mkdirSync(join(stamp, ".."), { recursive: true });
    writeFileSync(join(place, "package.json"), '{"exports":{".":{"default":"./dist/index.js"}}}');
    for (const path of ["src/index.ts", "README.md", "LICENSE"]) writeFileSync(join(place, path), "");
  });

  it("without a build", () => {
    expect(prepack()).toEqual({
      status: 1,
      stderr:
        "wire cannot be packed: ./dist/index.js is missing. Run `npm run build` in the repository first.\n",
    });
  });

  it("with a build that is older than the sources, until it is built again", () => {
    for (const path of [join(place, "dist/index.js"), stamp]) writeFileSync(path, "");
    const [old, later] = [new Date(1_000_000), new Date(2_000_000)];
    utimesSync(stamp, old, old);
    expect(prepack()).toMatchObject({ status: 1, stderr: expect.stringContaining("older than its sources") });
    utimesSync(join(place, "src/index.ts"), old, old);
    utimesSync(stamp, later, later);
    expect(prepack()).toEqual({ status: 0, stderr: "" });
  });
});
