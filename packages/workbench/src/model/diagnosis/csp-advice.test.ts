import { buildCsp, type ResourceCsp } from "@vitrine/protocol";
import { describe, expect, it } from "vitest";
import { SPEC, STRICT } from "../profiles/profile.js";
import { HOSTS } from "../profiles/profiles.js";
import { adviceOn, DIRECTIVES, directivesOf, groupViolations, suggestedMeta } from "./csp-advice.js";

const declare = (field: keyof ResourceCsp, value: string) => ({ kind: "declare", field, value });
const relax = (relaxation: string) => ({ kind: "relax", relaxation });
const rewrite = { kind: "rewrite" };

describe("advice on blocked resources", () => {
  it.each([
    ["connect-src", "https://api.example.com/v1?q=1", declare("connectDomains", "https://api.example.com")],
    [
      "connect-src",
      "wss://live.example.com:8443/x",
      declare("connectDomains", "wss://live.example.com:8443"),
    ],
    ["connect-src", "http://localhost:3000/", declare("connectDomains", "http://localhost:3000")],
    [
      "script-src-elem",
      "https://cdn.example.com/a.js",
      declare("resourceDomains", "https://cdn.example.com"),
    ],
    [
      "style-src-elem",
      "https://cdn.example.com/a.css",
      declare("resourceDomains", "https://cdn.example.com"),
    ],
    ["img-src", "https://pics.example.com/1.png", declare("resourceDomains", "https://pics.example.com")],
    ["media-src", "https://pics.example.com/1.mp4", declare("resourceDomains", "https://pics.example.com")],
    [
      "font-src",
      "https://fonts.example.com/a.woff2",
      declare("resourceDomains", "https://fonts.example.com"),
    ],
    ["frame-src", "https://maps.example.com/embed", declare("frameDomains", "https://maps.example.com")],
    ["base-uri", "https://example.com/", declare("baseUriDomains", "https://example.com")],
    ["script-src", "eval", relax("unsafe-eval")],
    ["script-src", "wasm-eval", relax("wasm-unsafe-eval")],
    ["script-src-elem", "data", relax("data-scripts")],
    ["worker-src", "blob", relax("blob-workers")],
    ["img-src", "blob", relax("blob-media")],
    ["media-src", "blob", relax("blob-media")],
    ["font-src", "data", relax("data-fonts")],
    ["worker-src", "https://cdn.example.com/worker.js", rewrite],
    ["form-action", "https://example.com/send", rewrite],
    ["object-src", "https://example.com/a.pdf", rewrite],
    ["manifest-src", "https://example.com/m.json", rewrite],
    ["connect-src", "data", rewrite],
    ["script-src-attr", "inline", rewrite],
    ["no-such-src", "https://example.com", rewrite],
    // An unencrypted origin cannot be declared.
    ["connect-src", "http://api.example.com/", rewrite],
  ])("%s %s", (directive, blocked, remedy) => {
    const advice = adviceOn(directive, blocked);
    expect(advice.remedy).toEqual(remedy);
    expect(advice.text).toMatch(/\.$/);
  });

  it("the suggested declaration allows it", () => {
    const { remedy } = adviceOn("connect-src", "https://api.example.com/v1");
    if (remedy.kind !== "declare") throw new Error(remedy.kind);
    expect(buildCsp({ [remedy.field]: [remedy.value] }).policy).toContain(
      "connect-src https://api.example.com;",
    );
  });

  describe("declared, but blocked by a profile", () => {
    const claude = HOSTS.find(({ id }) => id === "claude") ?? SPEC;
    const narrowed = {
      frameDomains: ["https://*.maps.example.com"],
      resourceDomains: ["http://localhost:5173"],
    };
    const advise = (directive: string, blocked: string, profile = STRICT) =>
      adviceOn(directive, blocked, false, { profile, narrowed });

    it("is not to be declared again: it names the profile, the imitated host, and the fix", () => {
      const frame = advise("frame-src", "https://eu.maps.example.com/embed?q=1");
      expect(frame.remedy).toEqual({ kind: "profile", narrowing: "frame-domains" });
      for (const word of [STRICT.title, claude.title, "csp.frameDomains", "ui/open-link", SPEC.title])
        expect(frame.text).toContain(word);
      const script = advise("script-src-elem", "http://localhost:5173/a.js");
      expect(script.remedy).toEqual({ kind: "profile", narrowing: "insecure-resources" });
      expect(script.text).toContain("https");
      const own = advise("frame-src", "https://eu.maps.example.com/", claude);
      expect(own.text).toContain(`the profile "${claude.title}" blocks it anyway. `);
    });

    it.each([
      ["frame-src", "https://maps.example.com/"],
      ["frame-src", "https://other.example.com/"],
      ["frame-src", "https://eu.maps.example.com:8443/"],
      ["connect-src", "http://localhost:5173/"],
      ["img-src", "https://eu.maps.example.com/a.png"],
    ])("is that alone: %s %s was never declared", (directive, blocked) => {
      expect(advise(directive, blocked)).toEqual(adviceOn(directive, blocked));
    });

    it("stays in the suggestion", () => {
      const [group] = groupViolations(
        [
          {
            at: 1,
            directive: "frame-src",
            blocked: "https://eu.maps.example.com/",
            report: { code: "csp-violation", by: "view" },
          },
        ],
        { profile: STRICT, narrowed },
      );
      expect(group?.remedy.kind).toBe("profile");
      const place = {
        csp: { resourceDomains: ["https://cdn.example.com"] },
        narrowed,
        permissions: {},
      };
      expect(suggestedMeta(place, group ? [group] : []).csp).toEqual({
        resourceDomains: ["https://cdn.example.com", "http://localhost:5173"],
        frameDomains: ["https://*.maps.example.com"],
      });
    });
  });

  it("an app that tried to leave its document cannot declare its way out", () => {
    const [group] = groupViolations([
      {
        at: 1,
        directive: "frame-src",
        blocked: "https://evil.example",
        report: { code: "csp-violation" },
      },
    ]);
    expect(group).toMatchObject({ remedy: rewrite });
    expect(group?.text).toContain("ui/open-link");
  });
});

describe("blocked resources", () => {
  const blocked = (at: number, directive: string, what: string) => ({
    at,
    directive,
    blocked: what,
    report: { code: "csp-violation", by: "view", source: "https://v.example/doc", line: 7 } as const,
  });

  it("is listed once, with how often and where it was first", () => {
    const groups = groupViolations([
      blocked(10, "connect-src", "https://api.example.com/a"),
      blocked(20, "img-src", "https://api.example.com/b"),
      blocked(30, "connect-src", "https://api.example.com/c"),
    ]);
    expect(groups).toMatchObject([
      { directive: "connect-src", count: 2, firstAt: 10, source: "https://v.example/doc", line: 7 },
      { directive: "img-src", count: 1, firstAt: 20 },
    ]);
  });

  it("becomes the whole _meta.ui, with the existing values", () => {
    const groups = groupViolations([
      blocked(1, "connect-src", "https://api.example.com/a"),
      blocked(2, "connect-src", "https://known.example.com/"),
      blocked(3, "img-src", "https://cdn.example.com/b"),
      blocked(4, "script-src", "eval"),
    ]);
    const place = {
      csp: { connectDomains: ["https://known.example.com"] },
      permissions: { camera: {} },
      prefersBorder: false,
    };
    expect(suggestedMeta(place, groups)).toEqual({
      csp: {
        connectDomains: ["https://known.example.com", "https://api.example.com"],
        resourceDomains: ["https://cdn.example.com"],
      },
      permissions: { camera: {} },
      prefersBorder: false,
    });
    expect(place.csp.connectDomains).toHaveLength(1);
  });
});

it("a policy of ours has no line that is not explained", () => {
  const lines = directivesOf(buildCsp({ connectDomains: ["https://a.example"] }).policy);
  expect(lines.map(({ name }) => name).sort()).toEqual(Object.keys(DIRECTIVES).sort());
  expect(lines.every(({ meaning }) => meaning)).toBe(true);
  expect(lines.find(({ name }) => name === "connect-src")?.sources).toEqual(["https://a.example"]);
});
