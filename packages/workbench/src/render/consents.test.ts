import { expect, it } from "vitest";
import { Consents } from "./consents.js";

const ask = (method: string) => ({ method, subject: "it", title: "It" });

it("says no to everything that was not allowed, and keeps what would have allowed it", () => {
  const consents = new Consents([]);
  for (const method of ["tools/call", "ui/permission", "constructor"])
    expect(consents.answer(ask(method)).answer).toBe("deny");
  expect(consents.given.map(({ option }) => option)).toEqual([
    "--allow-calls",
    "--allow-permissions",
    "--allow-all",
  ]);
});

it("says yes to what was allowed, once, and to nothing else", () => {
  const consents = new Consents(["links"]);
  expect(consents.answer(ask("ui/open-link"))).toEqual({ answer: "allow", remember: "once" });
  expect(consents.answer(ask("ui/download-file")).answer).toBe("deny");
  expect(consents.given.map(({ answer }) => answer)).toEqual(["allow", "deny"]);
});

it("says yes to everything when everything was allowed, also to what has no option of its own", () => {
  const consents = new Consents(["all"]);
  expect(consents.answer(ask("sampling/createMessage")).answer).toBe("allow");
  expect(consents.given).toMatchObject([{ option: "--allow-all" }]);
});
