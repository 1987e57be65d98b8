import { describe, expect, it } from "vitest";
import { type ListPage, nextPage, type SendRequest } from "./list-pages.js";
import type { RequestOutcome } from "./request-log.js";

/** Answers requests with these results in turn, and keeps what was sent. */
function server(...results: (object | string)[]) {
  const sent: unknown[] = [];
  const send: SendRequest = async (method, input) => {
    sent.push([method, input]);
    const result = results[sent.length - 1];
    const outcome: RequestOutcome =
      typeof result === "string"
        ? { problem: result, duration: 1, size: 0, isError: true }
        : { result, duration: 1, size: 9, isError: false };
    return { n: 1, kind: "any", name: method, input, at: 0, outcome };
  };
  return { sent, send };
}
const tools = (...names: string[]) => ({ tools: names.map((name) => ({ name })) });
const page = (more: Pick<ListPage, "names" | "next"> & Partial<ListPage>): ListPage => ({
  cursor: undefined,
  findings: [],
  duration: 1,
  size: 1,
  ...more,
});

describe("a page of a list", () => {
  it("is asked for with the cursor of the page before", async () => {
    const { sent, send } = server({ ...tools("a"), nextCursor: "2" }, tools("b"));
    const first = await nextPage("tools", [], send);
    expect(first).toMatchObject({ cursor: undefined, names: ["a"], next: "2", findings: [] });
    const second = await nextPage("tools", [first], send);
    expect(second).toMatchObject({ cursor: "2", names: ["b"], next: undefined, findings: [] });
    expect(sent).toEqual([
      ["tools/list", {}],
      ["tools/list", { cursor: "2" }],
    ]);
  });

  it.each([
    ["resources", "resources/list", { resources: [{ uri: "a:b" }] }, "a:b"],
    [
      "resource templates",
      "resources/templates/list",
      { resourceTemplates: [{ uriTemplate: "a:{b}" }] },
      "a:{b}",
    ],
    ["prompts", "prompts/list", { prompts: [{ name: "p" }] }, "p"],
  ] as const)("of %s", async (list, method, answer, name) => {
    const { sent, send } = server(answer);
    expect(await nextPage(list, [], send)).toMatchObject({ names: [name] });
    expect(sent).toEqual([[method, {}]]);
  });

  it.each([
    [{ ...tools("a", "b", "b") }, ["Listed twice: a, b."]],
    [{ ...tools("c"), nextCursor: "1" }, ["Its next cursor was sent before: the list has no end."]],
    [{ ...tools("c"), nextCursor: 7 }, ["Its next cursor is not a string."]],
    [{ ...tools(), nextCursor: "9" }, ["It is empty, and not the last."]],
    [tools(), []],
  ])("has findings: %j", async (answer, findings) => {
    const known = [page({ names: ["a"], next: "1" }), page({ cursor: "1", names: ["x"], next: "2" })];
    expect((await nextPage("tools", known, server(answer).send)).findings).toEqual(findings);
  });

  it("may be missing", async () => {
    expect(await nextPage("tools", [], server("it broke").send)).toMatchObject({ problem: "it broke" });
    const without = await nextPage("tools", [], server({ tools: 7 }).send);
    expect(without.problem).toMatch(/no list with the name tools/);
    const odd = await nextPage("tools", [], server({ tools: [7, { name: 7 }] }).send);
    expect(odd.names).toEqual(["(an entry without name)", "(an entry without name)"]);
  });
});
