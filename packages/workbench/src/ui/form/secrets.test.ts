import { expect, it } from "vitest";
import { withoutSecrets } from "./secrets.js";

const password = { type: "string", format: "password" };
const text = { type: "string" };

it("fields that are passwords or write-only are taken out, wherever the schema says so, and no others", () => {
  const schema = {
    type: "object",
    properties: {
      user: text,
      password,
      token: { type: "string", writeOnly: true },
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
    token: "2",
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
  expect(withoutSecrets({}, input)).toEqual(input);
});
