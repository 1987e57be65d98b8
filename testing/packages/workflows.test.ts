/** The workflows run scripts that exist, on every system and Node that the README promises. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const WORKFLOWS = new URL("../../.github/workflows/", import.meta.url);
const workflows = new Map(
  readdirSync(WORKFLOWS).map((name) => [name, readFileSync(new URL(name, WORKFLOWS), "utf8")]),
);
const { scripts } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/** The scripts that a workflow names and that do not exist. */
const missingIn = (text: string): string[] =>
  [...text.matchAll(/\bnpm (?:run(?: --silent)? ([\w:-]+)|(test|start)\b)/g)]
    .map(([, named, short]) => named ?? short ?? "")
    .filter((name) => !Object.hasOwn(scripts, name));

it("every script that a workflow runs is in package.json", () => {
  expect(workflows.size).toBeGreaterThan(1);
  for (const [name, text] of workflows) expect(missingIn(text), name).toEqual([]);
  expect(missingIn("- run: npm run test:all\n- run: npm run docs\n- run: npm test")).toEqual(["test:all"]);
});

it("Helm, kubeconform, Compose and a container engine check what operators get", () => {
  const ci = workflows.get("ci.yml") ?? "";
  for (const line of [
    "helm lint --strict deploy/helm/vitrine",
    "helm template test deploy/helm/vitrine",
    "kubeconform:v",
    "docker compose --file deploy/compose/compose.yaml config",
    "docker build --tag vitrine:ci deploy/image",
  ])
    expect(ci).toContain(line);
  const files = [...ci.matchAll(/(?:node |--values |--file )((?:scripts|deploy)\/[\w./-]+)/g)].map(
    ([, path]) => `${path}`,
  );
  expect(files.length).toBeGreaterThan(3);
  for (const file of files) expect(existsSync(new URL(`../../${file}`, import.meta.url)), file).toBe(true);
});

it("the tests run on each system with each Node, in Chromium, Firefox and WebKit; the site is published", () => {
  const ci = workflows.get("ci.yml") ?? "";
  expect(ci.match(/node: \[20, 22, 24\]/g)).toHaveLength(2);
  expect(ci).toContain("os: [macos-latest, windows-latest]");
  for (const line of [
    "playwright-core install --with-deps chromium",
    "npm run test:engines",
    "npm run docs",
    "actions/deploy-pages",
  ])
    expect(ci).toContain(line);
});
