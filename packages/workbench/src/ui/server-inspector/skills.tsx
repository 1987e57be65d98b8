/**
 * Skills of a server: listed, read, and verified against their entries.
 *
 * @module
 */
import type { ResourceContents } from "@vitrine/protocol";
import { useEffect, useState } from "react";
import { Button, Input, Label, TextField } from "react-aria-components";
import { messageOf } from "../../model/messages/messages.js";
import type { InspectedServer } from "../../model/server/inspected-server.js";
import { contentsOf } from "../../model/server/resource-contents.js";
import { checkSkillFile, type SkillCheck } from "../../model/server/skill-check.js";
import { folderOf } from "../../model/server/skill-folders.js";
import { getSkill, listSkills, type ServerSkill, type SkillRequest } from "../../model/server/skills.js";
import { Fold } from "../fold.js";
import { count } from "../inspector/format.js";
import { Json } from "../inspector/json.js";
import { ResourceView } from "./resource-view.js";
import { SkillFolder } from "./skill-folder.js";

/** Sends the requests of skills, recorded with the user's others. */
const requestsOf =
  (inspected: InspectedServer): SkillRequest =>
  async (method, params) => {
    const { outcome } = await inspected.send(method, params);
    if (outcome?.problem !== undefined) throw new Error(outcome.problem);
    return outcome?.result;
  };

/** Props of {@link SkillsTab}. */
export interface SkillsTabProps {
  inspected: InspectedServer;
  /** Whether the server lists folders. */
  hasFolders: boolean;
}

/** The list. */
export function SkillsTab({ inspected, hasFolders }: SkillsTabProps) {
  const [skills, setSkills] = useState<readonly ServerSkill[]>();
  const [missing, setMissing] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [address, setAddress] = useState("");
  const act = async (work: () => Promise<void>): Promise<void> => {
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const list = (): Promise<void> =>
    act(async () => {
      const listed = await listSkills(requestsOf(inspected));
      setSkills(listed.skills);
      setMissing(listed.missing);
    });
  const get = (uri: string): Promise<void> =>
    act(async () => {
      const skill = await getSkill(requestsOf(inspected), uri);
      setSkills((before = []) => [skill, ...before.filter((each) => each.uri !== skill.uri)]);
    });
  // biome-ignore lint/correctness/useExhaustiveDependencies: listed once per server.
  useEffect(() => void list(), [inspected]);
  return (
    <div className="in-scroll">
      <div className="si-row">
        <Button className="button" onPress={() => void list()}>
          List again
        </Button>
        <TextField className="in-field si-grow" value={address} onChange={setAddress}>
          <Label className="soft small">Get a skill by its address, listed or not</Label>
          <Input className="input" placeholder="skill://git-workflow/SKILL.md" />
        </TextField>
        <Button
          className="button"
          isDisabled={address.trim() === ""}
          onPress={() => void get(address.trim())}
        >
          Get
        </Button>
      </div>
      {problem !== undefined && (
        <p className="problem small" role="alert">
          {problem}
        </p>
      )}
      {missing !== undefined && <p className="problem small">{missing}</p>}
      {skills?.length === 0 && <p className="soft">It lists no skills. It may have some nevertheless.</p>}
      <ul className="in-cards" aria-label="Skills of the server">
        {skills?.map((skill, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: addresses may be missing or repeated.
          <li key={`${skill.uri} ${index}`}>
            <Skill inspected={inspected} hasFolders={hasFolders} skill={skill} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Skill({ inspected, hasFolders, skill }: SkillsTabProps & { skill: ServerSkill }) {
  const { uri, name, description, frontmatter, files, findings } = skill;
  const addresses = files === "dynamic" ? [uri] : [...new Set(files.map((file) => file.uri))];
  return (
    <section className="in-section" aria-label={name}>
      <h3 className="si-title">{name}</h3>
      <p className="soft small mono">{uri}</p>
      {description && <p className="description">{description}</p>}
      {findings.map((finding) => (
        <p key={finding} className="problem small">
          {finding}
        </p>
      ))}
      <Fold name="Frontmatter">
        <Json value={frontmatter} label={`Frontmatter of ${name}`} depth={2} />
      </Fold>
      {hasFolders && (
        <SkillFolder send={requestsOf(inspected)} skill={skill} uri={folderOf(uri)} name="Folder" />
      )}
      <ul className="si-list" aria-label={`Files of ${name}`}>
        {addresses.map((each) => (
          <li key={each}>
            <File inspected={inspected} skill={skill} uri={each} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface ReadFile {
  readonly contents: ResourceContents;
  readonly check: SkillCheck;
}

interface FileProps {
  inspected: InspectedServer;
  skill: ServerSkill;
  uri: string;
}

function File({ inspected, skill, uri }: FileProps) {
  const [read, setRead] = useState<ReadFile>();
  const [problem, setProblem] = useState<string>();
  const size = skill.files === "dynamic" ? undefined : skill.files.find((file) => file.uri === uri)?.size;
  const verify = async (): Promise<void> => {
    setRead(undefined);
    setProblem(undefined);
    const { outcome } = await inspected.read(uri);
    const contents = contentsOf(outcome?.result)?.find((each) => each.uri === uri);
    if (contents) setRead({ contents, check: await checkSkillFile(skill, contents) });
    else setProblem(outcome?.problem ?? "The answer has no contents of this address.");
  };
  return (
    <>
      <div className="si-row">
        <span className="mono small si-grow">{uri}</span>
        {size !== undefined && size >= 0 && <span className="soft small">{count(size)} bytes</span>}
        <Button
          className="button"
          aria-label={`Read and verify ${uri}`}
          onPress={() => void verify().catch((error: unknown) => setProblem(messageOf(error)))}
        >
          Read and verify
        </Button>
      </div>
      {problem !== undefined && (
        <p className="problem small" role="alert">
          {problem}
        </p>
      )}
      {read && (
        <>
          {read.check.problems.map((sentence) => (
            <p key={sentence} className="problem small" role="alert">
              {sentence}
            </p>
          ))}
          {read.check.verified !== "" && (
            <p role="status" className="small">
              {read.check.verified}
            </p>
          )}
          <ResourceView contents={read.contents} />
        </>
      )}
    </>
  );
}
