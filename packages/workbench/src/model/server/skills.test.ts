import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { checkSkillFile } from "./skill-check.js";
import { getSkill, listSkills, readSkill, type SkillRequest } from "./skills.js";

const uri = "skill://team/picking/SKILL.md";
const text = "---\nname: picking\ndescription: How to pick\nmetadata:\n  level: 2\n---\n\n# Picking\n";
const digestOf = (content: string): string => `sha256:${createHash("sha256").update(content).digest("hex")}`;
const fileOf = (at: string, content: string) => ({
  uri: at,
  digest: digestOf(content),
  size: Buffer.byteLength(content),
});
const entry = {
  uri,
  frontmatter: { name: "picking", description: "How to pick", metadata: { level: 2 } },
  resources: [fileOf(uri, text), fileOf("skill://team/picking/a/b.md", "ripé")],
};
const findings = (more: object): readonly string[] => readSkill({ ...entry, ...more }).findings;

describe("the entry of a skill", () => {
  it("is read without findings if it is right", () => {
    expect(readSkill(entry)).toMatchObject({
      uri,
      name: "picking",
      description: "How to pick",
      findings: [],
    });
  });

  it.each([
    [
      "a name with capitals",
      { frontmatter: { name: "Picking", description: "x" } },
      /naming rules.*\n.*last folder/,
    ],
    ["another folder", { uri: "skill://team/other/SKILL.md" }, /last folder.*\n.*own SKILL\.md.*\n.*outside/],
    ["no description", { frontmatter: { name: "picking" } }, /^It has no description\.$/],
    ["no resources", { resources: undefined }, /neither a list nor/],
    ["dynamic resources", { resources: "dynamic" }, /^Its contents are dynamic/],
    ["a missing SKILL.md", { resources: [] }, /lacks its own SKILL\.md/],
    [
      "a file twice",
      { resources: [...entry.resources, entry.resources[1]] },
      /^Its list has a file twice\.$/,
    ],
    [
      "a file of another folder",
      { resources: [...entry.resources, fileOf("skill://team/picking2/x", "x")] },
      /^Its list has a file outside/,
    ],
    [
      "a short digest",
      { resources: [{ ...entry.resources[0], digest: "sha256:ab" }] },
      /^Its list has a digest/,
    ],
    ["no size", { resources: [{ ...entry.resources[0], size: undefined }] }, /without a size/],
    ["too many bytes", { resources: [{ ...entry.resources[0], size: 17_000_000 }] }, /larger than 16 MiB/],
    [
      "too many files",
      {
        resources: [
          entry.resources[0],
          ...Array.from({ length: 512 }, (_, n) => fileOf(`skill://team/picking/${n}`, "")),
        ],
      },
      /^It has more than 512 files/,
    ],
  ])("has findings for %s", (_, more, expected) => {
    expect(findings(more).join("\n")).toMatch(expected);
  });

  it.each([undefined, null, 7, [], {}, { uri: 7, frontmatter: [], resources: [null] }])(
    "may be anything: %j",
    (value) => {
      expect(readSkill(value).findings.length).toBeGreaterThan(2);
    },
  );
});

describe("the list of skills", () => {
  it("is read page by page", async () => {
    const sent: unknown[] = [];
    const send: SkillRequest = async (method, params) => {
      sent.push([method, params]);
      return sent.length === 1 ? { skills: [entry], nextCursor: "2" } : { skills: [entry] };
    };
    expect((await listSkills(send)).skills).toHaveLength(2);
    expect(sent).toEqual([
      ["skills/list", {}],
      ["skills/list", { cursor: "2" }],
    ]);
  });

  it("ends, even if the server's list does not", async () => {
    const { skills, missing } = await listSkills(async () => ({ skills: [entry], nextCursor: "again" }));
    expect(skills).toHaveLength(50);
    expect(missing).toMatch(/first 50 skills/);
    await expect(listSkills(async () => ({}))).rejects.toThrow("no list");
  });

  it("is not needed to get a skill", async () => {
    expect(await getSkill(async () => ({ skill: entry }), uri)).toMatchObject({ uri, findings: [] });
    const other = await getSkill(async () => ({ skill: entry }), "skill://x/SKILL.md");
    expect(other.findings).toEqual(["The entry is about another address than skill://x/SKILL.md."]);
  });
});

describe("a file of a skill", () => {
  const skill = readSkill(entry);
  const check = (content: string, at = uri, of = skill) => checkSkillFile(of, { uri: at, text: content });

  it("is verified, as text or as bytes", async () => {
    expect(await check(text)).toEqual({ problems: [], verified: "Verified: it fits the entry." });
    const blob = Buffer.from("ripé").toString("base64");
    const bytes = await checkSkillFile(skill, { uri: "skill://team/picking/a/b.md", blob });
    expect(bytes).toEqual({ problems: [], verified: "Verified: it fits the entry." });
  });

  it("is refused if its bytes are others", async () => {
    const { problems, verified } = await check("RIPÉ", "skill://team/picking/a/b.md");
    expect(problems).toEqual([
      expect.stringMatching(/^Its digest is sha256:[0-9a-f]{64}, and the entry says/),
    ]);
    expect(verified).toBe("");
    const longer = await check("ripé ", "skill://team/picking/a/b.md");
    expect(longer.problems).toEqual([
      "It has 6 bytes, and the entry says 5.",
      expect.stringMatching(/digest/),
    ]);
  });

  it("is refused if the entry does not list it", async () => {
    expect((await check("x", "skill://team/picking/late.md")).problems).toEqual([
      "The skill's entry does not list this file.",
    ]);
  });

  it.each([
    ["another value", text.replace("level: 2", "level: 3"), /differs from the entry: metadata\.level\.$/],
    ["another field", text.replace("metadata", "allowed-tools: Bash\nmetadata"), /entry: allowed-tools\.$/],
    ["no frontmatter", "# Picking", /does not begin with frontmatter/],
    ["no YAML", "---\na: [\n---\n", /is not YAML/],
    ["no fields", "---\n- a\n---\n", /has no fields/],
    ["too much", `---\na: ${"x".repeat(100_001)}\n---\n`, /too large/],
    [
      "a bomb of aliases",
      `---\na: &a [x]\n${"b: [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n"}---\n`,
      /./,
    ],
  ])("must have the frontmatter of the entry: %s", async (_, content, expected) => {
    const { problems } = await check(content, uri, readSkill({ ...entry, resources: "dynamic" }));
    expect(problems).toEqual([expect.stringMatching(expected)]);
  });

  it("that is dynamic, or in a browser without digests, is not called verified", async () => {
    const dynamic = await check(text, uri, readSkill({ ...entry, resources: "dynamic" }));
    expect(dynamic).toEqual({ problems: [], verified: "Not verified: the contents are dynamic." });
    const without = await checkSkillFile(skill, { uri, text }, null);
    expect(without).toEqual({
      problems: [],
      verified: "The digest was not checked: this page needs HTTPS for that.",
    });
  });
});
