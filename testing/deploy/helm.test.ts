/** The Helm chart: its values, and the objects that it makes of them. In CI, Helm and kubeconform check it too. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { recordOf } from "@vitrine/protocol";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { mergeValues, objectsOf, renderChart } from "./helm-template.ts";
import { settingsProblems } from "./settings-problems.ts";

const CHART = fileURLToPath(new URL("../../deploy/helm/vitrine", import.meta.url));
const yaml = (name: string): unknown => parse(readFileSync(join(CHART, name), "utf8"), { strict: true });
const DEFAULTS = yaml("values.yaml");
const VALUES = mergeValues(DEFAULTS, yaml("ci/test-values.yaml"));

const render = (over: unknown = {}) => objectsOf(renderChart(CHART, mergeValues(VALUES, over)));
const at = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce(
    (found: unknown, key) => (Array.isArray(found) ? found[Number(key)] : recordOf(found)[key]),
    value,
  );

const objects = render();
const deployment = objects.get("Deployment");
const pod = at(deployment, "spec", "template", "spec");
const container = at(pod, "containers", 0);

describe("the values", () => {
  const validate = new Ajv({ allErrors: true }).compile(
    JSON.parse(readFileSync(join(CHART, "values.schema.json"), "utf8")),
  );

  it("fit their schema: the defaults, and those of the tests", () => {
    expect(validate(DEFAULTS), JSON.stringify(validate.errors)).toBe(true);
    expect(validate(VALUES), JSON.stringify(validate.errors)).toBe(true);
  });

  it.each([
    ["an unknown key", { replica: 3 }],
    ["an unknown key of the image", { image: { digest: "x" } }],
    ["an image that changes", { image: { tag: "latest" } }],
    ["an origin with a path", { origin: "https://gateway.example.org/x" }],
    ["an origin without TLS", { origin: "http://gateway.example.org" }],
    ["a pattern without a label", { appsOrigin: "https://apps.example.com" }],
    ["a key that is too short", { secret: { key: "abc" } }],
    ["settings that the chart makes", { settings: { listen: { port: 1 } } }],
    ["no nodes", { replicas: 0 }],
  ])("do not fit with %s", (_, over) => {
    expect(validate(mergeValues(VALUES, over))).toBe(false);
  });

  it("must name the origins and the secrets", () => {
    for (const over of [
      { origin: "" },
      { appsOrigin: "" },
      { secret: { key: "" } },
      { secret: { database: "" } },
    ]) {
      expect(() => render(over)).toThrow(/is required/);
    }
    const existing = render({ secret: { existing: "mine", key: "", clusterSecret: "", database: "" } });
    expect(existing.has("Secret")).toBe(false);
    expect(JSON.stringify(existing.get("Deployment"))).toContain('"secretName":"mine"');
  });
});

describe("the objects", () => {
  it("are those that the guide lists", () => {
    expect([...objects.keys()].sort()).toEqual([
      "ConfigMap",
      "Deployment",
      "Ingress",
      "NetworkPolicy",
      "PodDisruptionBudget",
      "Secret",
      "Service",
    ]);
    expect(readdirSync(join(CHART, "templates"))).toHaveLength(objects.size + 2);
  });

  it("have settings that the gateway accepts", async () => {
    const text = `${at(objects.get("ConfigMap"), "data", "gateway.json")}`;
    expect(await settingsProblems(text)).toEqual([]);
    expect(JSON.parse(text)).toMatchObject({
      listen: { origin: "https://gateway.example.org" },
      sandbox: { host: "0.0.0.0" },
      users: [{ name: "ana" }],
      mcpServers: { mail: {} },
    });
  });

  it("run without privileges, on a file system that they cannot change", () => {
    expect(at(pod, "securityContext")).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 10_001,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(at(container, "securityContext")).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(at(pod, "automountServiceAccountToken")).toBe(false);
  });

  it("ask /healthz whether the process lives, and /readyz whether it takes work, with the Host of the pages", () => {
    for (const [probe, path] of [
      ["startupProbe", "/healthz"],
      ["livenessProbe", "/healthz"],
      ["readinessProbe", "/readyz"],
    ] as const) {
      expect(at(container, probe, "httpGet")).toEqual({
        path,
        port: "pages",
        httpHeaders: [{ name: "Host", value: "gateway.example.org" }],
      });
    }
  });

  it("give a node longer to stop than it drains", () => {
    expect(at(pod, "terminationGracePeriodSeconds")).toBe(50);
    const slow = render({ drain: { delaySeconds: 10, timeSeconds: 300 } });
    const spec = at(slow.get("Deployment"), "spec", "template", "spec");
    expect(at(spec, "terminationGracePeriodSeconds")).toBe(325);
    expect(at(slow.get("ConfigMap"), "data", "gateway.json")).toContain('"time": "300s"');
  });

  it("replace nodes one at a time, and a new one is there first", () => {
    expect(at(deployment, "spec", "strategy", "rollingUpdate")).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    expect(at(objects.get("PodDisruptionBudget"), "spec", "maxUnavailable")).toBe(1);
    const annotation = (made: typeof objects) =>
      at(made.get("Deployment"), "spec", "template", "metadata", "annotations", "checksum/settings");
    expect(annotation(render({ settings: { strict: true } }))).not.toBe(annotation(objects));
  });

  it("select the same pods everywhere", () => {
    const labels = { "app.kubernetes.io/name": "vitrine", "app.kubernetes.io/instance": "test" };
    expect(at(deployment, "spec", "template", "metadata", "labels")).toEqual(labels);
    expect(at(deployment, "spec", "selector", "matchLabels")).toEqual(labels);
    expect(at(objects.get("Service"), "spec", "selector")).toEqual(labels);
    expect(at(objects.get("PodDisruptionBudget"), "spec", "selector", "matchLabels")).toEqual(labels);
    expect(at(objects.get("NetworkPolicy"), "spec", "podSelector", "matchLabels")).toEqual(labels);
  });

  it("let only nodes reach the port for nodes, at the address of the pod", () => {
    const rules = at(objects.get("NetworkPolicy"), "spec", "ingress");
    const forNodes = Array.isArray(rules)
      ? rules.filter((rule) => JSON.stringify(rule).includes('"nodes"'))
      : [];
    expect(forNodes).toHaveLength(1);
    expect(at(forNodes, 0, "from", 0, "podSelector", "matchLabels")).toBeDefined();
    expect(JSON.stringify(at(objects.get("Service"), "spec", "ports"))).not.toContain("nodes");
    expect(at(container, "env")).toContainEqual({ name: "VITRINE_NODE_ADDRESS", value: "$(POD_IP):8092" });
  });

  it("serve pages and apps at their hosts", () => {
    const rules = at(objects.get("Ingress"), "spec", "rules");
    expect([at(rules, 0, "host"), at(rules, 1, "host")]).toEqual([
      "gateway.example.org",
      "*.apps.example.com",
    ]);
    const port = (rule: number) => at(rules, rule, "http", "paths", 0, "backend", "service", "port", "name");
    expect([port(0), port(1)]).toEqual(["pages", "apps"]);
    expect(render({ ingress: { enabled: false } }).has("Ingress")).toBe(false);
  });

  it("mount each secret as the file that a variable names", () => {
    const secrets = Object.keys(recordOf(objects.get("Secret")?.["stringData"]));
    const named = JSON.stringify(at(container, "env")).match(/\/run\/secrets\/vitrine\/[\w-]+/g) ?? [];
    expect(named.map((path) => path.split("/").at(-1)).sort()).toEqual(secrets.sort());
  });
});
