import { expect, it } from "vitest";
import { RenderConsents } from "./consents.js";

const ask = (method: string) => ({ method, subject: "it", title: "It" });

it("denies everything that was not allowed, and keeps the option that would have allowed it", () => {
  const consents = new RenderConsents([]);
  for (const method of ["tools/call", "ui/permission", "constructor"])
    expect(consents.answer(ask(method)).answer).toBe("deny");
  expect(consents.given.map(({ option }) => option)).toEqual([
    "--allow-calls",
    "--allow-permissions",
    "--allow-all",
  ]);
});

it("approves allowed requests, once, and nothing else", () => {
  const consents = new RenderConsents(["links"]);
  expect(consents.answer(ask("ui/open-link"))).toEqual({ answer: "allow", remember: "once" });
  expect(consents.answer(ask("ui/download-file")).answer).toBe("deny");
  expect(consents.given.map(({ answer }) => answer)).toEqual(["allow", "deny"]);
});

it("approves everything when everything was allowed, including requests without an option", () => {
  const consents = new RenderConsents(["all"]);
  expect(consents.answer(ask("sampling/createMessage")).answer).toBe("allow");
  expect(consents.given).toMatchObject([{ option: "--allow-all" }]);
});
