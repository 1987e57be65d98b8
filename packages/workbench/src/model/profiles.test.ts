import { expect, it } from "vitest";
import { type Abilities, type Profile, STRICT } from "./profile.js";
import { PROFILES } from "./profiles.js";

/** What a profile says of a host; the rest is about the profile. */
const FIELDS = [
  "displayModes",
  "abilities",
  "maxWidth",
  "maxHeight",
  "context",
  "csp",
] as const satisfies (keyof Profile)[];

it("begins with the strict profile, and no two have the same name", () => {
  expect(PROFILES[0]).toBe(STRICT);
  expect(new Set(PROFILES.map(({ id }) => id)).size).toBe(PROFILES.length);
  expect(new Set(PROFILES.map(({ title }) => title)).size).toBe(PROFILES.length);
});

it.each(PROFILES.slice(1).map((profile) => [profile.id, profile] as const))(
  "%s: every field that is not as in the strict profile has a source with a date",
  (_id, profile) => {
    for (const field of FIELDS) {
      if (JSON.stringify(profile[field]) === JSON.stringify(STRICT[field])) continue;
      const source = profile.sources[field];
      expect(source, `${profile.id}.${field}`).toMatchObject({
        url: expect.stringMatching(/^https:\/\//),
        date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      });
    }
    expect(profile.displayModes).toContain("inline");
    expect(profile.description.length).toBeGreaterThan(40);
  },
);

it("has one profile that is never more lenient than any known host", () => {
  const common = PROFILES.find(({ id }) => id === "common");
  expect(common).toBeDefined();
  if (!common) return;
  for (const host of PROFILES) {
    for (const mode of common.displayModes) expect(host.displayModes).toContain(mode);
    for (const [name, is] of Object.entries(common.abilities))
      if (is) expect(host.abilities[name as keyof Abilities], `${host.id} ${name}`).toBe(true);
  }
});
