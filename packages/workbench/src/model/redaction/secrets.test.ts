import { expect, it } from "vitest";
import { withoutSecrets } from "./secrets.js";

const password = { type: "string", format: "password" };
const text = { type: "string" };

it("fields that are passwords or write-only are redacted, wherever the schema marks them, and no others", () => {
  const schema = {
    type: "object",
    properties: {
      user: text,
      password,
      code: { type: "string", writeOnly: true },
      format: text,
      login: { $ref: "#/$defs/login" },
      list: { type: "array", items: { properties: { pin: password, name: text } } },
      either: { anyOf: [{ type: "null" }, password] },
    },
    allOf: [{ properties: { hidden: password } }],
    additionalProperties: password,
    $defs: { login: { properties: { key: password, name: text, inner: { $ref: "#/$defs/login" } } } },
  };
  const input = {
    user: "ana",
    password: "1",
    code: "2",
    format: "password",
    login: { key: "3", name: "n", inner: { key: "4", name: "i" } },
    list: [{ pin: "5", name: "l" }],
    either: "6",
    hidden: "7",
    more: "8",
  };
  expect(withoutSecrets(schema, input)).toEqual({
    user: "ana",
    format: "password",
    login: { name: "n", inner: { name: "i" } },
    list: [{ name: "l" }],
  });
  expect(withoutSecrets({ writeOnly: true }, input)).toEqual({});
  expect(withoutSecrets({ patternProperties: { "^(a+)+$": password } }, { a: "1" })).toEqual({});
});

it("a mark of other programs counts, too", () => {
  const properties = {
    a: { type: "string", "x-widget": "password" },
    b: { type: "string", "ui:widget": "password" },
    c: { type: "string", "x-sensitive": true },
    d: { type: "string", "x-order": 1, "x-secret": false },
  };
  expect(withoutSecrets({ properties }, { a: "1", b: "2", c: "3", d: "4" })).toEqual({ d: "4" });
});

it("a value with a secret's name is redacted, with a schema or without; a number is not", () => {
  const input = {
    user: "ana",
    apiKey: "1",
    db_password: "2",
    credentials: { user: "a" },
    maxTokens: 5,
    note: "",
  };
  const kept = { user: "ana", maxTokens: 5, note: "" };
  expect(withoutSecrets(undefined, input)).toEqual(kept);
  expect(withoutSecrets({ properties: { apiKey: text } }, { inner: [input] })).toEqual({ inner: [kept] });
});
