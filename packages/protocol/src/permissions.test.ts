import { buildAllowAttribute } from "@modelcontextprotocol/ext-apps/app-bridge";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readResourceUi } from "./metadata.js";
import * as examples from "./permissions.examples.js";
import { allowAttribute, PERMISSION_FEATURES, type Permission } from "./permissions.js";

const PERMISSIONS = Object.keys(PERMISSION_FEATURES) as Permission[];
const combinations = Array.from({ length: 16 }, (_, bits) =>
  Object.fromEntries(
    PERMISSIONS.filter((_, index) => bits & (1 << index)).map((permission) => [permission, {}]),
  ),
);

describe("allowAttribute", () => {
  it.each(combinations)("S09 is the official string for %j", (permissions) => {
    expect(allowAttribute(permissions)).toBe(buildAllowAttribute(permissions));
  });

  it("S09 the order of the keys does not matter", () => {
    expect(allowAttribute({ clipboardWrite: {}, camera: {} })).toBe("camera; clipboard-write");
  });

  it("S09 ignores every other feature, and values that ask for nothing", () => {
    const asked = {
      usb: {},
      "display-capture": {},
      "camera *; usb": {},
      camera: false,
      microphone: null,
      geolocation: "*",
      clipboardWrite: [],
    };
    expect(allowAttribute(asked)).toBe("");
    expect(allowAttribute({ camera: true })).toBe("camera");
  });

  it.each([{}, { x: 1 }, true, false, null, [], ["camera"], "yes", 1])(
    "S09 %j requests the same here as in the metadata reader",
    (camera) => {
      const { meta } = readResourceUi({ content: { _meta: { ui: { permissions: { camera } } } } });
      expect(allowAttribute({ camera })).toBe(allowAttribute(meta.permissions));
    },
  );

  it("S09 the host may refuse, and is asked only about requested features", () => {
    const asked: Permission[] = [];
    const allow = allowAttribute({ camera: {}, geolocation: {} }, (permission) => {
      asked.push(permission);
      return permission === "geolocation";
    });
    expect(allow).toBe("geolocation");
    expect(asked).toEqual(["camera", "geolocation"]);
  });

  it("S09 survives hostile metadata", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const throwing = {
      get camera() {
        throw new Error("no");
      },
      microphone: {},
    };
    expect(allowAttribute(proxy)).toBe("");
    expect(allowAttribute(throwing)).toBe("microphone");
    expect(allowAttribute(Object.create({ camera: {} }))).toBe("");
  });

  it("S09 for any metadata has only the four features", () => {
    const features: string[] = Object.values(PERMISSION_FEATURES);
    const metadata = fc.oneof(
      fc.dictionary(fc.constantFrom(...PERMISSIONS, "usb"), fc.anything()),
      fc.anything(),
    );
    fc.assert(
      fc.property(metadata, (permissions) => {
        const allow = allowAttribute(permissions);
        expect(features).toEqual(expect.arrayContaining(allow === "" ? [] : allow.split("; ")));
      }),
      { numRuns: 300 },
    );
  });
});

describe("examples", () => {
  it("behave as their comments say", () => {
    expect(examples.allowOfAFrame()).toBe("clipboard-write");
  });
});
