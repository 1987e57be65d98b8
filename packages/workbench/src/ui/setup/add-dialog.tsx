/**
 * Adds servers: by address, by command, from pasted JSON, or from files of other programs.
 *
 * @module
 */
import type { FoundServers, ImportFile, PendingServer } from "@vitrine/wire";
import { useEffect, useState } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { messageOf } from "../../model/messages/messages.js";
import { draftOf, fieldsOf, suggestedName } from "../../model/server-fields.js";
import type { Workbench } from "../../model/workbench.js";
import { useObservable } from "../use-observable.js";
import { FoundList } from "./found-list.js";
import { PendingView } from "./pending-view.js";
import { ServerForm } from "./server-form.js";
import { SetupDialog } from "./setup-dialog.js";
import { TextRow } from "./text-row.js";

type Kind = "address" | "command" | "paste" | "import";

const TABS: { id: Kind; title: string }[] = [
  { id: "address", title: "Address" },
  { id: "command", title: "Command" },
  { id: "paste", title: "Paste" },
  { id: "import", title: "Import" },
];

/** Milliseconds after the last key until pasted text is read. */
const PAUSE = 150;

/** The dialog. */
export function AddDialog({ workbench, onClose }: { workbench: Workbench; onClose: () => void }) {
  const { setup, servers } = workbench;
  useObservable(setup);
  const [kind, setKind] = useState<Kind>("address");
  const [address, setAddress] = useState(() => fieldsOf("address"));
  const [command, setCommand] = useState(() => fieldsOf("command"));
  const [text, setText] = useState("");
  const [found, setFound] = useState<FoundServers>();
  const [files, setFiles] = useState<readonly ImportFile[]>();
  const [file, setFile] = useState<string>();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [waiting, setWaiting] = useState<readonly string[]>();
  const isTaken = (name: string): boolean =>
    setup.server(name) !== undefined || servers.get(name) !== undefined;

  useEffect(() => {
    if (text.trim() === "") {
      setFound(undefined);
      return undefined;
    }
    let isOver = false;
    const timer = setTimeout(() => {
      setup.ask("gateway/read-servers", { text }).then(
        (read) => {
          if (isOver) return;
          setFound(read);
          setChosen(new Set(read.servers.map(({ name }) => name)));
        },
        (error: unknown) => !isOver && setProblem(messageOf(error)),
      );
    }, PAUSE);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [text, setup]);

  const select = (next: Kind): void => {
    setKind(next);
    setProblem(undefined);
    setChosen(new Set(next === "paste" ? found?.servers.map(({ name }) => name) : []));
    if (next === "import" && !files)
      setup.ask("gateway/import-candidates", {}).then(
        (read) => setFiles(read.files),
        (error: unknown) => setProblem(messageOf(error)),
      );
  };

  const addFound = async (params: { text?: string; file?: string }): Promise<PendingServer[]> => {
    const wanted = [...chosen].filter((name) => !isTaken(name));
    if (wanted.length === 0) throw new Error("Choose at least one server.");
    const { pending, failed } = await setup.send("gateway/add-found", { ...params, names: wanted });
    if (failed.length > 0)
      throw new Error(failed.map(({ name, message }) => `${name}: ${message}`).join("\n"));
    return pending;
  };
  const addOne = async (): Promise<PendingServer[]> => {
    const fields = kind === "address" ? address : command;
    const draft = draftOf(fields);
    if (typeof draft === "string") throw new Error(draft);
    const name = fields.name.trim() || suggestedName(fields);
    const { pending } = await setup.send("gateway/add-server", { name, draft });
    return pending ? [pending] : [];
  };
  const add = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      const pending = await (kind === "paste"
        ? addFound({ text })
        : kind === "import"
          ? addFound({ ...(file !== undefined && { file }) })
          : addOne());
      if (pending.length === 0) onClose();
      else setWaiting(pending.map(({ id }) => id));
    } catch (error) {
      setProblem(messageOf(error));
    }
    setBusy(false);
  };

  const left = waiting?.flatMap((id) => setup.pending.find((each) => each.id === id) ?? []);
  const isDone = left?.length === 0;
  useEffect(() => {
    if (isDone) onClose();
  }, [isDone, onClose]);
  if (left)
    return (
      <SetupDialog title="Confirm in the terminal" onClose={onClose}>
        {left.map((pending) => (
          <PendingView key={pending.id} setup={setup} pending={pending} />
        ))}
      </SetupDialog>
    );

  const isFound = kind === "paste" || kind === "import";
  const count = chosen.size;
  const action = isFound && count > 1 ? `Add ${count} servers` : "Add";
  return (
    <SetupDialog
      title="Add a server"
      onClose={onClose}
      problem={problem}
      action={action}
      onAction={() => void add()}
      isBusy={isBusy}
    >
      <p className="soft">
        A server gives the model tools, and shows apps in the conversation. Its documents say how to add it.
      </p>
      <Tabs className="tabs setup-tabs" selectedKey={kind} onSelectionChange={(key) => select(key as Kind)}>
        <TabList className="tab-list" aria-label="How to add it">
          {TABS.map(({ id, title }) => (
            <Tab key={id} id={id} className="tab">
              {title}
            </Tab>
          ))}
        </TabList>
        <TabPanel id="address" className="setup-panel">
          <ServerForm fields={address} onChange={setAddress} folder={undefined} />
        </TabPanel>
        <TabPanel id="command" className="setup-panel">
          <ServerForm fields={command} onChange={setCommand} folder={setup.state?.folder} />
        </TabPanel>
        <TabPanel id="paste" className="setup-panel">
          <TextRow
            label="JSON"
            value={text}
            onChange={setText}
            placeholder={'{ "mcpServers": { "weather": { "command": "…" } } }'}
            help="As in the documents of a server: for Claude, Cursor, VS Code, Zed and others."
            isLong
            isMono
            autoFocus
          />
          {found && <FoundList found={found} chosen={chosen} onChange={setChosen} isTaken={isTaken} />}
        </TabPanel>
        <TabPanel id="import" className="setup-panel">
          <ImportFiles
            files={files}
            file={file}
            chosen={chosen}
            isTaken={isTaken}
            onChange={(next, names) => {
              setFile(next);
              setChosen(names);
            }}
          />
        </TabPanel>
      </Tabs>
      <p className="soft small">
        Changes go to <code className="mono">{setup.state?.file}</code>.
      </p>
    </SetupDialog>
  );
}

interface ImportFilesProps {
  files: readonly ImportFile[] | undefined;
  file: string | undefined;
  chosen: ReadonlySet<string>;
  isTaken: (name: string) => boolean;
  onChange: (file: string, chosen: ReadonlySet<string>) => void;
}

/** The files with their servers. Servers of one file are added at a time. */
function ImportFiles({ files, file, chosen, isTaken, onChange }: ImportFilesProps) {
  if (!files) return <p className="soft">Looking for files of other programs…</p>;
  if (files.length === 0)
    return <p className="soft">No other program on this machine has servers in a file that is known.</p>;
  return files.map((each) => (
    <section key={each.path} aria-label={each.program} className="setup-file">
      <h3>{each.program}</h3>
      <p className="soft small mono">{each.path}</p>
      <FoundList
        found={each}
        chosen={file === each.path ? chosen : new Set()}
        onChange={(names) => onChange(each.path, names)}
        isTaken={isTaken}
      />
    </section>
  ));
}
