import { jsonSchemaProblem } from "@vitrine/protocol";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { openStage } from "../../../../testing/gateway/http-stage.js";
import { openApiOf } from "./openapi.js";
import { ROUTES } from "./routes.js";

const ORIGIN = "http://127.0.0.1:8090";
const document = openApiOf(ROUTES, ORIGIN);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation: Object(operation) })),
);

describe("the OpenAPI document", () => {
  it("has every route, and no other", () => {
    const routes = ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort()).toEqual(
      routes.sort(),
    );
    expect(new Set(routes).size).toBe(routes.length);
  });

  it("matches what is served", async () => {
    const stage = await openStage();
    const { host, authorization } = stage.program;
    const { text, headers } = await stage.ask("/openapi.json", { headers: { host, authorization } });
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(openApiOf(ROUTES, stage.listener.origin))));
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    // Each operation leads to a route: it rejects unauthenticated callers, or is public.
    for (const { path, method, operation } of operations) {
      const answer = await stage.ask(path.replace("{server}", "weather"), {
        method: method.toUpperCase(),
        headers: {
          host,
          origin: stage.listener.origin,
          "content-type": operation.requestBody && "application/json",
        },
      });
      const { security } = operation;
      // An empty requirement means that no credential is required.
      const isPublic =
        security?.length === 0 || security?.some((each: object) => Object.keys(each).length === 0);
      expect([path, answer.status === 401 || answer.status === 429]).toEqual([path, !isPublic]);
    }
    await stage.listener.close(0);
  });

  it("is consistent: unique names, parameters in paths, existing security schemes, resolvable references", () => {
    expect(document).toMatchObject({ openapi: "3.1.0", servers: [{ url: ORIGIN }] });
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, operation } of operations) {
      const inPath = operation.parameters.filter((each: { in: string }) => each.in === "path");
      expect(inPath.map((each: { name: string }) => `{${each.name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      for (const parameter of operation.parameters) expect(parameter.schema.type).toBeTypeOf("string");
      expect(Object.keys(operation.responses).every((status) => /^[1-5]\d\d$/.test(status))).toBe(true);
      for (const reply of Object.values<{ description: string }>(operation.responses)) {
        expect(reply.description).not.toBe("");
      }
    }
    for (const name of document.security.flatMap((each) => Object.keys(each))) {
      expect(document.components["securitySchemes"]).toHaveProperty(name);
    }
    for (const [, name] of JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)) {
      expect(document.components["schemas"]).toHaveProperty(name ?? "");
    }
  });

  it("has valid schemas, and examples that match them, for this validator and another one", () => {
    const ajv = new Ajv2020({ strict: true, allErrors: true });
    let examples = 0;
    for (const { body, query } of ROUTES) {
      for (const schema of [body, query]) {
        if (!schema) continue;
        const { example, ...plain }: typeof schema & { example?: unknown } = schema;
        const validate = ajv.compile(plain);
        const values = [
          example ?? {},
          { unknown: 1 },
          { name: 1 },
          { name: "" },
          { server: "s" },
          { uri: "u" },
          [],
        ];
        for (const value of values) {
          expect([value, validate(value)]).toEqual([
            value,
            jsonSchemaProblem(value, schema, "it") === undefined,
          ]);
        }
        if (example === undefined) continue;
        expect(validate(example)).toBe(true);
        examples++;
      }
    }
    expect(examples).toBeGreaterThan(4);
    expect(
      ajv.validate(document.components["schemas"]?.["Error"] ?? {}, { error: { code: "x", message: "y" } }),
    ).toBe(true);
  });

  it("lists what a program must send", () => {
    const call = Object(document.paths["/api/servers/{server}/tools/call"]?.["post"]);
    expect(call.parameters.map(({ name }: { name: string }) => name)).toEqual([
      "server",
      "Origin",
      "Idempotency-Key",
    ]);
    expect(call.requestBody.content["application/json"].example).toEqual({
      name: "forecast",
      arguments: { city: "Berne" },
    });
  });
});
