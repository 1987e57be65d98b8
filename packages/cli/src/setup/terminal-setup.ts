/**
 * Lets the pages of a gateway change the settings file, and asks in the terminal before a program is started for
 * a page.
 *
 * @module
 */
import type { AskedChange, SetupHost } from "@vitrine/gateway";
import { GatewayError } from "@vitrine/wire";
import { importPlaces, isOfClient, ownFile, type Surroundings } from "../config-places.js";
import type { Terminal } from "../terminal.js";
import { contentLines } from "../trust/file-content.js";
import type { FileTrust } from "../trust/file-trust.js";
import { marked, visibleName } from "../trust/visible-text.js";
import { addLine } from "./add-line.js";
import { ownCommand } from "./own-command.js";

/** Maximum lines that a user can be expected to read. */
const MOST_LINES = 200;

/** Options of {@link terminalSetup}. */
export interface TerminalSetupOptions extends Pick<SetupHost, "reading" | "written"> {
  readonly file: string;
  readonly terminal: Terminal;
  readonly at: Surroundings;
  readonly trust: FileTrust;
  /** Whether the text of the file needs the user's approval. */
  readonly needsApproval: boolean;
  /** Whether programs without `isolation` run with the user's rights. */
  readonly isOpen: boolean;
  /** Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Creates the host of a gateway at this terminal. */
export function terminalSetup(options: TerminalSetupOptions): SetupHost {
  const { file, terminal, at, trust, needsApproval, signal } = options;
  const config = file === ownFile(at) ? undefined : file;
  const own = ownCommand(at);
  const lines = (change: AskedChange): readonly string[] | undefined => {
    const shown = changeLines(change, options.isOpen);
    const room = shown.flatMap((line) => marked(line, terminal.noteColumns));
    return room.length > MOST_LINES ? undefined : shown;
  };
  return {
    file,
    folder: at.cwd,
    ...(isOfClient(file, at) && {
      readOnly: `${file} belongs to another program, and Vitrine does not change it. Start Vitrine with --config and a file of its own; then import these servers.`,
    }),
    reading: options.reading,
    get canAsk() {
      return terminal.canAsk;
    },
    lines,
    command: ({ name, entry, change }) => addLine(name, entry, { config, replaces: change !== "add", own }),
    confirm: async (change, withdrawn) => {
      const name = visibleName(change.name);
      const shown = lines(change);
      // Nobody can allow something that is not shown.
      if (!shown) throw new GatewayError("config-invalid", `${name} is too long to be read in a terminal`);
      const intro = [
        `A page asks to ${VERBS[change.change]} the server ${name} in ${file}:`,
        ...shown.flatMap((line) => marked(line, terminal.noteColumns)),
      ];
      const question =
        change.entry["command"] === undefined
          ? "Allow it? Answer y only if you asked for this in the page."
          : "Start this program? Answer y only if you asked for this in the page.";
      try {
        return await terminal.confirm(intro, question, AbortSignal.any([withdrawn, signal]));
      } catch (error) {
        if (withdrawn.aborted) terminal.note(`the page withdrew it: ${name}`);
        throw error;
      }
    },
    isApproved: async (text) => text.trim() === "" || !needsApproval || trust.isApproved(file, text),
    written: async (text, name, isNew) => {
      if (needsApproval) await trust.accept(file, text);
      await options.written(text, name, isNew);
    },
    importPlaces: () => importPlaces(at),
  };
}

const VERBS = { add: "add", edit: "change", enable: "enable" } as const;

/** Everything that the change would do. */
function changeLines({ name, entry }: AskedChange, isOpen: boolean): string[] {
  const lines = contentLines({ mcpServers: { [name]: entry } });
  const { command, isolation } = entry;
  if (command === undefined) return lines;
  const driver = typeof isolation === "string" ? isolation : Object(isolation).driver;
  if (isolation !== undefined && driver !== "process") return lines;
  const rights =
    isOpen || driver === "process"
      ? "not isolated: it can read and change your files, and use the network"
      : "isolated as the settings say";
  return [...lines, `${visibleName(name)}: ${rights}`];
}
