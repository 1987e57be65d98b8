/**
 * The fields of a server: an address, or a command.
 *
 * @module
 */
import { ChevronRight } from "lucide-react";
import { Button, Disclosure, DisclosurePanel } from "react-aria-components";
import { wordsOf } from "../../model/command-words.js";
import type { IsolationFields, ServerFields } from "../../model/server-fields.js";
import { suggestedName } from "../../model/server-fields.js";
import { Choice } from "../choice.js";
import { CheckRow } from "./check-row.js";
import { TextRow } from "./text-row.js";
import { ValuesEditor } from "./values-editor.js";

/** Props of a {@link ServerForm}. */
export interface ServerFormProps {
  fields: ServerFields;
  onChange: (fields: ServerFields) => void;
  /** Where relative paths of a new command start. */
  folder: string | undefined;
  /** Whether the server is in the file: then it keeps its name. */
  isKnown?: boolean | undefined;
}

/** All fields. */
export function ServerForm({ fields, onChange, folder, isKnown }: ServerFormProps) {
  const set = (part: Partial<ServerFields>): void => onChange({ ...fields, ...part });
  return (
    <>
      {fields.kind === "address" ? (
        <TextRow
          label="Address"
          value={fields.url}
          onChange={(url) => set({ url })}
          placeholder="https://example.com/mcp"
          help="If the server asks for a sign-in, a button for it appears in the list."
          isMono
          autoFocus
        />
      ) : (
        <CommandField line={fields.line} onChange={(line) => set({ line })} folder={folder} />
      )}
      {!isKnown && (
        <TextRow
          label="Name"
          value={fields.name}
          onChange={(name) => set({ name })}
          placeholder={suggestedName(fields) || "weather"}
          help="Letters, digits, “.”, “_” and “-”."
        />
      )}
      {fields.kind === "address" ? (
        <ValuesEditor
          label="Headers"
          one="header"
          rows={fields.headers}
          onChange={(headers) => set({ headers })}
        />
      ) : (
        <ValuesEditor label="Variables" one="variable" rows={fields.env} onChange={(env) => set({ env })} />
      )}
      <Disclosure className="setup-more">
        <Button slot="trigger" className="fold-button">
          <ChevronRight className="fold" />
          {fields.kind === "address" ? "Transport and network" : "Folder and isolation"}
        </Button>
        <DisclosurePanel className="setup-more-body">
          {fields.kind === "address" ? (
            <>
              <CheckRow isSelected={fields.isSse} onChange={(isSse) => set({ isSse })}>
                It speaks the older transport (SSE)
              </CheckRow>
              <CheckRow isSelected={fields.isPrivate} onChange={(isPrivate) => set({ isPrivate })}>
                It may be on the private network (asks in the terminal)
              </CheckRow>
            </>
          ) : (
            <>
              <TextRow label="Folder" value={fields.cwd} onChange={(cwd) => set({ cwd })} isMono />
              <IsolationForm fields={fields.isolation} onChange={(isolation) => set({ isolation })} />
            </>
          )}
        </DisclosurePanel>
      </Disclosure>
    </>
  );
}

interface CommandFieldProps {
  line: string;
  onChange: (line: string) => void;
  folder: string | undefined;
}

/** The command line, and what its words are. */
function CommandField({ line, onChange, folder }: CommandFieldProps) {
  const words = wordsOf(line);
  return (
    <>
      <TextRow
        label="Command"
        value={line}
        onChange={onChange}
        placeholder="npx -y @modelcontextprotocol/server-everything"
        help={`With its arguments. No shell runs: quotes group words, and nothing is expanded.${folder === undefined ? "" : ` Paths such as ./server.js start in ${folder}.`}`}
        isMono
        autoFocus
      />
      {words && words.length > 1 && (
        <ol className="setup-words" aria-label="Words of the command">
          {words.map((word, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: words have no identity but their position.
            <li key={index} className="mono small">
              {word === "" ? "(empty)" : word}
            </li>
          ))}
        </ol>
      )}
      <p className="soft small">
        A page cannot start a program: you confirm it in the terminal that runs Vitrine.
      </p>
    </>
  );
}

const DRIVERS = [
  { id: "", label: "As the settings say", description: "In vitrine dev: none." },
  { id: "process", label: "None", description: "It can read and change your files." },
  { id: "auto", label: "Isolated", description: "With the strongest driver of this machine." },
  { id: "bubblewrap", label: "bubblewrap", description: "Linux namespaces." },
  { id: "container", label: "Container", description: "podman or docker, with an image." },
];

interface IsolationFormProps {
  fields: IsolationFields;
  onChange: (fields: IsolationFields) => void;
}

/** Isolation, and what it lets through. */
function IsolationForm({ fields, onChange }: IsolationFormProps) {
  const set = (part: Partial<IsolationFields>): void => onChange({ ...fields, ...part });
  const isClosed = fields.driver !== "" && fields.driver !== "process";
  return (
    <>
      <Choice
        label="Isolation"
        showLabel
        options={DRIVERS}
        value={fields.driver}
        onChange={(id) => set({ driver: id as IsolationFields["driver"] })}
      />
      {isClosed && (
        <>
          {fields.driver === "container" && (
            <TextRow label="Image" value={fields.image} onChange={(image) => set({ image })} isMono />
          )}
          <CheckRow isSelected={fields.network} onChange={(network) => set({ network })}>
            It may use the network
          </CheckRow>
          <TextRow
            label="Paths that it may read"
            value={fields.read}
            onChange={(read) => set({ read })}
            help="One path a line."
            isLong
            isMono
          />
          <TextRow
            label="Paths that it may change"
            value={fields.write}
            onChange={(write) => set({ write })}
            help="One path a line."
            isLong
            isMono
          />
        </>
      )}
    </>
  );
}
