/**
 * Servers that were found in a text or a file, to choose from.
 *
 * @module
 */
import type { FoundServers } from "@vitrine/wire";
import { CheckRow } from "./check-row.js";

/** Props of a {@link FoundList}. */
export interface FoundListProps {
  found: FoundServers;
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
  /** Names that are taken. */
  isTaken: (name: string) => boolean;
}

/** A checkbox per server, with everything that it would run, and the problems of the text by line. */
export function FoundList({ found, chosen, onChange, isTaken }: FoundListProps) {
  return (
    <>
      {found.problems.map(({ line, message }) => (
        <p key={`${line} ${message}`} className="problem small" role="alert">
          Line {line}: {message}
        </p>
      ))}
      <ul className="setup-found">
        {found.servers.map(({ name, line, shown, kind, names, notes, problem }) => {
          const why = problem ?? (isTaken(name) ? "there is a server of this name already" : undefined);
          return (
            <li key={`${line} ${name}`}>
              <CheckRow
                isSelected={chosen.has(name) && why === undefined}
                isDisabled={why !== undefined}
                onChange={(isChosen) => {
                  const next = new Set(chosen);
                  if (isChosen) next.add(name);
                  else next.delete(name);
                  onChange(next);
                }}
              >
                <strong>{name}</strong>{" "}
                <span className="badge">{kind === "command" ? "command" : "address"}</span>
                <code className="mono small setup-shown">{shown}</code>
                {names.length > 0 && <span className="soft small">with {names.join(", ")}</span>}
              </CheckRow>
              {why !== undefined && (
                <p className="bad-text small">
                  Line {line}: {why}
                </p>
              )}
              {notes.map((note) => (
                <p key={note} className="soft small">
                  {note}
                </p>
              ))}
            </li>
          );
        })}
      </ul>
    </>
  );
}
