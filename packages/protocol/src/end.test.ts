import { describe, expect, it } from "vitest";
import { HOST_END } from "./host-end.js";
import { NOTIFICATIONS, REQUESTS } from "./methods.js";
import { VIEW_END } from "./view-end.js";

const names = (table: object): string[] => Object.keys(table).sort();

describe("the two sides", () => {
  it.each([
    ["host", HOST_END, VIEW_END],
    ["view", VIEW_END, HOST_END],
  ])("the other side knows the result of every request that a %s handles", (_name, end, other) => {
    expect(names(other.results)).toEqual(names(end.requests));
  });

  it.each(["requests", "notifications", "results"] as const)("share one shape for %s", (kind) => {
    const theirs = new Map(Object.entries(VIEW_END[kind]));
    for (const [method, shape] of Object.entries(HOST_END[kind])) {
      expect(theirs.get(method) ?? shape, method).toBe(shape);
    }
  });

  it("form the whole table together", () => {
    expect(names(REQUESTS)).toEqual(names({ ...HOST_END.requests, ...VIEW_END.requests }));
    expect(names(NOTIFICATIONS)).toEqual(names({ ...HOST_END.notifications, ...VIEW_END.notifications }));
    expect(REQUESTS["ui/open-link"]).toEqual({
      from: "view",
      params: HOST_END.requests["ui/open-link"],
      result: VIEW_END.results["ui/open-link"],
    });
    expect(REQUESTS["ui/resource-teardown"]).toEqual({
      from: "host",
      params: VIEW_END.requests["ui/resource-teardown"],
      result: HOST_END.results["ui/resource-teardown"],
    });
    expect(REQUESTS["tools/call"].from).toBe("both");
    expect(NOTIFICATIONS["ui/notifications/size-changed"].from).toBe("view");
    expect(NOTIFICATIONS["ui/notifications/tool-input"].from).toBe("host");
    expect(NOTIFICATIONS["notifications/progress"].from).toBe("both");
  });
});
