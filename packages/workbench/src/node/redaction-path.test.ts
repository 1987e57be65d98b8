import { expect, it } from "vitest";
import { wrongPath } from "./redaction-path.js";

it.each([
  "params.arguments.user",
  "result.content.*.text",
  "result.content.0.text..user.name",
  "error.message",
])("%s is a path", (path) => {
  expect(wrongPath(path)).toBeUndefined();
});

it.each([
  ["", /begin with params/],
  ["arguments.user", /begin with params/],
  ["$.params.user", /begin with params/],
  ["params", /name a value/],
  ["params.", /single dots/],
  ["params...user", /single dots/],
  ["params.user name", /single dots/],
])("%j is invalid, and the message explains the format", (path, words) => {
  expect(wrongPath(path)).toMatch(words);
});
