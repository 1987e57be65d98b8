import { STYLE_VARIABLES } from "@vitrine/protocol";
import { expect, it } from "vitest";
import { PROFILE_MODES } from "../../node/profile-modes.js";
import { type Abilities, NARROW_HOSTS, type Profile, SPEC, STRICT } from "./profile.js";
import { HOSTS, PROFILES } from "./profiles.js";

/** Fields about the host; the rest is about the profile. */
const FIELDS = [
  "displayModes",
  "abilities",
  "maxWidth",
  "maxHeight",
  "maxHeightOfWindow",
  "context",
  "styles",
  "narrow",
  "allows",
] as const satisfies (keyof Profile)[];

it("has the names and modes that programs check before they open the page", () => {
  expect(PROFILE_MODES).toEqual(
    Object.fromEntries(PROFILES.map(({ id, displayModes }) => [id, displayModes])),
  );
});

it("starts with the strict profile, and has unique names", () => {
  expect(PROFILES[0]).toBe(STRICT);
  expect(new Set(PROFILES.map(({ id }) => id)).size).toBe(PROFILES.length);
  expect(new Set(PROFILES.map(({ title }) => title)).size).toBe(PROFILES.length);
});

it.each(PROFILES.filter((each) => each !== STRICT).map((profile) => [profile.id, profile] as const))(
  "%s: every field that is not as in the specification has a source with a date",
  (_id, profile) => {
    for (const field of FIELDS) {
      if (JSON.stringify(profile[field]) === JSON.stringify(SPEC[field])) continue;
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

it("lists the hosts that block more than the specification does", () => {
  const narrow = HOSTS.filter((host) => host.narrow.length > 0);
  expect(NARROW_HOSTS).toEqual(narrow.map(({ id, title, narrow }) => ({ id, title, narrow })));
});

it("starts with a policy that is never more lenient than any known host's, and is otherwise complete", () => {
  for (const { id, narrow } of HOSTS)
    for (const each of narrow) expect(STRICT.narrow, `${id} ${each}`).toContain(each);
  for (const field of FIELDS) if (field !== "narrow") expect(STRICT[field]).toEqual(SPEC[field]);
  expect(SPEC.narrow).toEqual([]);
});

it.each(PROFILES.map((profile) => [profile.id, profile] as const))(
  "X01: %s sends every standard style variable",
  (_id, { styles }) => {
    expect(Object.keys(styles.variables ?? {}).sort()).toEqual([...STYLE_VARIABLES].sort());
    for (const value of Object.values(styles.variables ?? {})) expect(value).not.toBe("");
  },
);

it("X01: our own profiles, Claude and goose send fonts, and ours load nothing over the network", () => {
  const withFonts = PROFILES.filter(({ styles }) => styles.css?.fonts);
  // The last three are undocumented: they are as in the specification.
  expect(withFonts.map(({ id }) => id)).toEqual([
    ...["strict", "spec", "claude", "goose"],
    ...["m365-copilot", "alexa", "continue"],
  ]);
  expect(SPEC.styles.css?.fonts).not.toContain("url(");
});

it("has one profile that is never more lenient than any known host", () => {
  const common = PROFILES.find(({ id }) => id === "common");
  expect(common).toBeDefined();
  if (!common) return;
  for (const host of HOSTS) {
    for (const each of host.narrow) expect(common.narrow).toContain(each);
    expect(common.maxHeight ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(
      host.maxHeight ?? Number.POSITIVE_INFINITY,
    );
    for (const mode of common.displayModes) expect(host.displayModes).toContain(mode);
    for (const [name, is] of Object.entries(common.abilities))
      if (is) expect(host.abilities[name as keyof Abilities], `${host.id} ${name}`).toBe(true);
  }
});
