import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isPageViewName,
  type PageView,
  pageViewAddress,
  pageViewDigest,
  pageViewLabel,
  pageViewName,
  readPageViewName,
} from "./page-view.js";

const DIGEST = "abcdefghijklmnopqrstuvw234";
const VIEW: PageView = {
  host: "https://chat.example",
  app: DIGEST,
  document: DIGEST,
  csp: { connectDomains: ["https://api.example"] },
  permissions: ["camera", "clipboardWrite"],
};
const nameOf = (...parts: unknown[]): string =>
  `-${Buffer.from(JSON.stringify(parts)).toString("base64url")}`;

describe("the address of a view that a page shows by itself", () => {
  it("says everything, and is part of a path", () => {
    const name = `${pageViewName(VIEW)}`;
    expect(name).toMatch(/^-[\w-]+$/);
    expect(readPageViewName(name)).toEqual(VIEW);
    expect(isPageViewName(name)).toBe(true);
    // Of a registered view.
    expect(isPageViewName(DIGEST + DIGEST)).toBe(false);
  });

  it("has a pattern's origin, or a path on one host", async () => {
    const [label, name] = [await pageViewLabel(VIEW), pageViewName(VIEW)];
    expect(label).toMatch(/^[a-z2-7]{26}$/);
    expect(await pageViewAddress("https://{role}-{label}.apps.example", VIEW)).toBe(
      `https://p-${label}.apps.example/${name}`,
    );
    expect(await pageViewAddress("https://Sandbox.example:443", VIEW)).toBe(
      `https://sandbox.example/p/${label}/${name}`,
    );
  });

  it("has another origin for another page, server or domain, and for no other document", async () => {
    const apps = [["one"], ["two"], ["one", "d"], ["o", "ne"]];
    const labels = await Promise.all([
      ...apps.map(async (parts) => pageViewLabel({ ...VIEW, app: await pageViewDigest(...parts) })),
      pageViewLabel({ ...VIEW, host: "https://other.example" }),
      pageViewLabel(VIEW),
    ]);
    expect(new Set(labels).size).toBe(labels.length);
    expect(await pageViewLabel({ ...VIEW, document: "other", csp: {} })).toBe(await pageViewLabel(VIEW));
  });

  it("is refused if it would be too long", async () => {
    const connectDomains = Array.from({ length: 100 }, (_, at) => `https://a${"x".repeat(60)}.${at}.example`);
    const view = { ...VIEW, csp: { connectDomains } };
    expect(pageViewName(view)).toBeUndefined();
    await expect(pageViewAddress("https://sandbox.example", view)).rejects.toMatchObject({
      code: "bad-resource",
    });
    expect(readPageViewName(nameOf(VIEW.host, DIGEST, DIGEST, view.csp, []))).toBeUndefined();
  });

  it.each<[string, string]>([
    ["nothing", "-"],
    ["no base64", "-%%%"],
    ["no JSON", `-${btoa("{")}`],
    ["an object", `-${btoa("{}")}`],
    ["no mark", nameOf(VIEW.host, DIGEST, DIGEST, {}, []).slice(1)],
    ["no host", nameOf(1, DIGEST, DIGEST, {}, [])],
    ["an app that is no digest", nameOf(VIEW.host, "short", DIGEST, {}, [])],
    ["a document that is no digest", nameOf(VIEW.host, DIGEST, `${DIGEST}2`, {}, [])],
    ["no permissions", nameOf(VIEW.host, DIGEST, DIGEST, {}, "camera")],
    [
      "B08: a policy that breaks out",
      nameOf(VIEW.host, DIGEST, DIGEST, { connectDomains: ["https://a.example; script-src *"] }, []),
    ],
    ["a policy that is none", nameOf(VIEW.host, DIGEST, DIGEST, "default-src *", [])],
  ])("refuses %s", (_what, name) => {
    expect(readPageViewName(name)).toBeUndefined();
  });

  it("drops permissions that there are not", () => {
    const name = nameOf(VIEW.host, DIGEST, DIGEST, {}, ["usb", "camera", {}, "toString"]);
    expect(readPageViewName(name)?.permissions).toEqual(["camera"]);
  });

  it("never throws, whatever anyone writes", () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (text, value) => {
        readPageViewName(text);
        readPageViewName(`-${text}`);
        readPageViewName(nameOf(value, value, value, value, value));
        return true;
      }),
    );
  });
});
