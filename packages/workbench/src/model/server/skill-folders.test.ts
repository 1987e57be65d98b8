import { describe, expect, it } from "vitest";
import { folderOf, readFolder } from "./skill-folders.js";
import type { SkillRequest } from "./skills.js";

const folder = "skill://team/picking";
const file = (uri: string, more: object = {}) => ({ uri, name: uri.split("/").at(-1), ...more });

describe("the folder of a skill", () => {
  it("is that of its SKILL.md", () => {
    expect(folderOf(`${folder}/SKILL.md`)).toBe(folder);
  });

  it("is listed with all its pages", async () => {
    const asked: unknown[] = [];
    const send: SkillRequest = async (method, params) => {
      asked.push([method, params]);
      return params["cursor"] === undefined
        ? {
            resources: [file(`${folder}/references`, { mimeType: "inode/directory" })],
            nextCursor: "2",
          }
        : { resources: [file(`${folder}/SKILL.md`, { mimeType: "text/markdown" })] };
    };
    expect(await readFolder(send, folder)).toEqual({
      children: [
        {
          uri: `${folder}/references`,
          name: "references",
          isFolder: true,
          mimeType: "inode/directory",
          finding: undefined,
        },
        {
          uri: `${folder}/SKILL.md`,
          name: "SKILL.md",
          isFolder: false,
          mimeType: "text/markdown",
          finding: undefined,
        },
      ],
    });
    expect(asked).toEqual([
      ["resources/directory/read", { uri: folder }],
      ["resources/directory/read", { uri: folder, cursor: "2" }],
    ]);
  });

  it.each([
    ["another folder", "skill://team/other/a.md"],
    ["a folder below", `${folder}/references/a.md`],
    ["the folder above", `${folder}/..`],
    ["the folder above, in another form", `${folder}/%2E%2e`],
    ["nothing", ""],
  ])("has a child in %s, which is a finding", async (_where, uri) => {
    const { children } = await readFolder(async () => ({ resources: [{ uri }] }), folder);
    expect(children).toMatchObject([{ uri, finding: "Its address is not directly in this folder." }]);
  });

  it("that never ends is cut, and says so", async () => {
    const resources = Array.from({ length: 300 }, (_, at) => file(`${folder}/${at}.md`));
    const { children, missing } = await readFolder(async () => ({ resources, nextCursor: "more" }), folder);
    expect([children.length, missing]).toEqual([2_000, "Only the first 2,000 children are shown."]);
  });

  it("without a list is an error", async () => {
    await expect(readFolder(async () => ({ contents: [] }), folder)).rejects.toThrow("has no list");
  });
});
