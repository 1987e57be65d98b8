/** The settings file of a gateway with several users: only administrators may change it. */
import { afterEach, expect, it } from "vitest";
import { SetupStage } from "../../../../testing/gateway/setup-stage.js";

let stage: SetupStage | undefined;
afterEach(() => stage?.close());

const TOKENS = { ann: "a".repeat(30), bea: "b".repeat(30) };
const text = (admins?: string[]) =>
  JSON.stringify({ users: Object.entries(TOKENS).map(([name, token]) => ({ name, token })), admins });

const refused = expect.objectContaining({ data: expect.objectContaining({ code: "admin-required" }) });
const draft = { url: "https://a.example/mcp" };

it("nobody by default, and afterwards the named ones only", async () => {
  stage = await SetupStage.open({ text: text() });
  const [ann, bea] = [stage.page(TOKENS.ann), stage.page(TOKENS.bea)];
  const all = [
    () => ann.request("gateway/settings", {}),
    () => ann.request("gateway/add-server", { name: "a", draft }),
    () => ann.request("gateway/change-server", { name: "a", version: "", disabled: true }),
    () => ann.request("gateway/remove-server", { name: "a", version: "" }),
    () => ann.request("gateway/read-servers", { text: "{}" }),
    () => ann.request("gateway/import-candidates", {}),
    () => ann.request("gateway/add-found", { text: "{}", names: ["a"] }),
    () => ann.request("gateway/dismiss-server", { id: "a" }),
    () => ann.request("gateway/server-log", { server: "a" }),
  ];
  for (const request of all) await expect(request()).rejects.toEqual(refused);
  expect((await ann.request("gateway/servers", {})).mayAdminister).toBeUndefined();
  stage.gateway.update({ ...(await stage.reading(text(["bea"]))) });
  expect((await bea.request("gateway/servers", {})).mayAdminister).toBe(true);
  await expect(ann.request("gateway/settings", {})).rejects.toEqual(refused);
});

it("a name that is no user's is a problem of the file", async () => {
  await expect(SetupStage.open({ text: text(["cal"]) })).rejects.toThrow("there is no user of this name");
});
