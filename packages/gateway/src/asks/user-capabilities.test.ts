import type { ServerAsks } from "@vitrine/servers";
import type { ClientCapability } from "@vitrine/wire";
import { describe, expect, it } from "vitest";
import type { ServerKey } from "../store/known-servers.js";
import { CLIENT_CAPABILITIES, namesOf, UserCapabilities, withoutHidden } from "./user-capabilities.js";

const asks: ServerAsks = {
  capabilities: () => ({
    sampling: {},
    elicitation: { form: {}, url: {} },
    roots: { listChanged: true },
  }),
  sample: async () => ({ by: "sample" }),
  elicit: async () => ({ by: "elicit" }),
  roots: () => [{ uri: "file:///a" }],
};
const without = (...hidden: ClientCapability[]): ServerAsks => withoutHidden(asks, () => new Set(hidden));
const signal = new AbortController().signal;

describe("capabilities that a user leaves out", () => {
  it.each(CLIENT_CAPABILITIES)("are not declared: %s", (name) => {
    expect(namesOf(without().capabilities())).toEqual(CLIENT_CAPABILITIES);
    const others = CLIENT_CAPABILITIES.filter((each) => each !== name);
    expect(namesOf(without(name).capabilities())).toEqual(others);
  });

  it("leave no empty elicitation behind", () => {
    const declared = without("elicitation.form", "elicitation.url").capabilities();
    expect(declared).not.toHaveProperty("elicitation");
  });

  it("refuse requests that need them, although the server was told otherwise", async () => {
    const refused = { code: -32601 };
    await expect(without("sampling").sample?.({}, signal)).rejects.toMatchObject(refused);
    expect(() => without("roots").roots?.()).toThrow(expect.objectContaining(refused));
    const form = without("elicitation.form");
    await expect(form.elicit?.({ message: "a" }, signal)).rejects.toMatchObject(refused);
    expect(await form.elicit?.({ mode: "url" }, signal)).toEqual({ by: "elicit" });
    const url = without("elicitation.url");
    await expect(url.elicit?.({ mode: "url" }, signal)).rejects.toMatchObject(refused);
    expect(await url.elicit?.({ mode: "form" }, signal)).toEqual({ by: "elicit" });
    expect(await without().sample?.({}, signal)).toEqual({ by: "sample" });
  });

  it("belong to one user and one server", () => {
    const at = (identity: string) => ({ name: "shop", identity }) as ServerKey;
    const known = new UserCapabilities();
    known.hide("ann", at("1"), ["roots"]);
    expect([...known.hidden("ann", at("1"))]).toEqual(["roots"]);
    expect(known.hidden("ann", at("2")).size).toBe(0);
    expect(known.hidden("bea", at("1")).size).toBe(0);
    known.hide("ann", at("1"), []);
    expect(known.hidden("ann", at("1")).size).toBe(0);
  });
});
