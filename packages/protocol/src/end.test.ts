import { describe, expect, it } from "vitest";
import { HOST_END } from "./host-end.js";
import { NOTIFICATIONS, REQUESTS } from "./methods.js";
import { VIEW_END } from "./view-end.js";

const names = (table: object): string[] => Object.keys(table).sort();

describe("the two ends", () => {
  it.each([
    ["host", HOST_END, VIEW_END],
    ["view", VIEW_END, HOST_END],
  ])("what a %s serves, the other end knows the result of", (_name, end, other) => {
    expect(names(other.results)).toEqual(names(end.requests));
  });

  it.each(["requests", "notifications", "results"] as const)(
    "have one shape for %s that both know",
    (kind) => {
      const theirs = new Map(Object.entries(VIEW_END[kind]));
      for (const [method, shape] of Object.entries(HOST_END[kind])) {
        expect(theirs.get(method) ?? shape, method).toBe(shape);
      }
    },
  );

  it("make the whole table", () => {
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
