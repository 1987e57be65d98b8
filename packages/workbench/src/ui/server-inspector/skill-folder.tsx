/**
 * A folder of a skill, with the folders in it.
 *
 * @module
 */
import { useEffect, useState } from "react";
import { messageOf } from "../../model/messages/messages.js";
import { type FolderChild, readFolder } from "../../model/server/skill-folders.js";
import type { ServerSkill, SkillRequest } from "../../model/server/skills.js";
import { Fold } from "../fold.js";

/** Props of a {@link SkillFolder}. */
export interface SkillFolderProps {
  send: SkillRequest;
  skill: ServerSkill;
  uri: string;
  name: string;
}

/** A folder. It is read when it is opened. */
export function SkillFolder(props: SkillFolderProps) {
  return (
    <Fold name={props.name}>
      <Children {...props} />
    </Fold>
  );
}

function Children({ send, skill, uri }: SkillFolderProps) {
  const [children, setChildren] = useState<readonly FolderChild[]>();
  const [problem, setProblem] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once, when it is opened.
  useEffect(() => {
    readFolder(send, uri).then(
      (read) => {
        setChildren(read.children);
        setProblem(read.missing);
      },
      (error: unknown) => setProblem(messageOf(error)),
    );
  }, [uri]);
  const listed = skill.files === "dynamic" ? undefined : new Set(skill.files.map((file) => file.uri));
  return (
    <>
      {problem !== undefined && (
        <p className="problem small" role="alert">
          {problem}
        </p>
      )}
      {children?.length === 0 && <p className="soft small">It is empty.</p>}
      <ul className="si-list" aria-label={`Children of ${uri}`}>
        {children?.map((child, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: addresses may be missing or repeated.
          <li key={`${child.uri} ${index}`}>
            {child.isFolder && child.finding === undefined ? (
              <SkillFolder send={send} skill={skill} uri={child.uri} name={`${child.name}/`} />
            ) : (
              <span className="si-row">
                <span className="mono small si-grow">{child.name}</span>
                {child.mimeType !== undefined && <span className="soft small">{child.mimeType}</span>}
              </span>
            )}
            {child.finding !== undefined && <p className="problem small">{child.finding}</p>}
            {!child.isFolder && listed?.has(child.uri) === false && (
              <p className="problem small">The entry of the skill does not list this file.</p>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
