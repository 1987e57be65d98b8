/**
 * Messages with which a page manages the servers of the settings file. Only users who may administer the gateway
 * can send them. A page can ask for a program, but never start one: that takes an answer in the terminal.
 *
 * @module
 */

/** A value of an environment variable or a header. Values are write-only: a page never gets them. */
export type DraftValue =
  /** The value that the file has. */
  | { keep: true }
  /** Written to the file as it is; `${env:NAME}` refers to a variable. */
  | { text: string }
  /** Stored as a secret; the file refers to it. */
  | { secret: string };

/** Isolation of a program, as far as a page shows and changes it. Other keys of the file stay. */
export interface DraftIsolation {
  driver?: "auto" | "process" | "bubblewrap" | "container" | undefined;
  network?: boolean | undefined;
  read?: string[] | undefined;
  write?: string[] | undefined;
  image?: string | undefined;
}

/** A server as the user wants it: a program, or an address. Members that are missing are removed from the file. */
export interface ServerDraft {
  command?: string | undefined;
  args?: string[] | undefined;
  cwd?: string | undefined;
  env?: Record<string, DraftValue> | undefined;
  isolation?: DraftIsolation | undefined;
  url?: string | undefined;
  type?: "http" | "sse" | undefined;
  headers?: Record<string, DraftValue> | undefined;
  privateNetwork?: boolean | undefined;
}

/** How the file has a value: as a secret, by another reference such as `${env:NAME}`, or as plain text. */
export type WrittenValue = "secret" | "reference" | "text";

/** A server of the settings file. */
export interface WrittenServer extends Omit<ServerDraft, "env" | "headers"> {
  name: string;
  /** Identifies what the file has now: a change of another version is refused. */
  version: string;
  disabled: boolean;
  env?: Record<string, WrittenValue> | undefined;
  headers?: Record<string, WrittenValue> | undefined;
  /** Why it cannot be used as it is written. */
  problem?: string | undefined;
}

/** A change that waits for the terminal. */
export interface PendingServer {
  id: string;
  name: string;
  change: "add" | "edit" | "enable";
  /** Everything that the terminal shows, one value a line. */
  lines: string[];
  /**
   * `asking`: the terminal shows the question. `unasked`: there is no terminal to ask in. `declined` and
   * `failed` stay until the user dismisses them.
   */
  state: "asking" | "unasked" | "declined" | "failed";
  /** The command line that makes the same change. */
  command?: string | undefined;
  problem?: string | undefined;
}

/** The settings file, and what can be done with it. */
export interface SetupState {
  /** The path of the settings file that changes go to. */
  file: string;
  /** The folder in which relative paths of a new program start. */
  folder: string;
  /** Why the file cannot be changed from a page. */
  readOnly?: string | undefined;
  servers: WrittenServer[];
  pending: PendingServer[];
}

/** A server in pasted text, or in a file of another program. */
export interface FoundServer {
  name: string;
  /** The line of its name. */
  line: number;
  /** Its command with all arguments on one line, or its address. */
  shown: string;
  kind: "command" | "address";
  /** Names of its variables or headers. */
  names: string[];
  /** Why it cannot be added. */
  problem?: string | undefined;
  /** Parts that are not taken over. */
  notes: string[];
}

/** The servers in a text, and what is wrong with it. */
export interface FoundServers {
  servers: FoundServer[];
  problems: { line: number; message: string }[];
}

/** A file of another program. */
export interface ImportFile extends FoundServers {
  /** The name of the program, such as `Cursor`. */
  program: string;
  path: string;
}

/** How a change ended: it is in force, or waits for the terminal. */
export type SetupOutcome = { pending?: undefined } | { pending: PendingServer };

/** A line of a server's log: of its stderr, or a note of the gateway. */
export interface StderrLine {
  /** Milliseconds since 1970. */
  at: number;
  text: string;
  note?: true | undefined;
}

/** Requests of a page about the settings file, on channel `.`. */
export interface SetupRequests {
  "gateway/settings": { params: Record<string, never>; result: SetupState };
  "gateway/add-server": { params: { name: string; draft: ServerDraft }; result: SetupOutcome };
  /** Changes a server: its settings with `draft`, or whether it is used with `disabled`. */
  "gateway/change-server": {
    params: {
      name: string;
      version: string;
      draft?: ServerDraft | undefined;
      disabled?: boolean | undefined;
    };
    result: SetupOutcome;
  };
  "gateway/remove-server": { params: { name: string; version: string }; result: Record<string, never> };
  /** Lists the servers of a pasted text. */
  "gateway/read-servers": { params: { text: string }; result: FoundServers };
  /** Lists the servers in files of other programs of this machine. */
  "gateway/import-candidates": { params: Record<string, never>; result: { files: ImportFile[] } };
  /** Adds servers of a pasted text, or of a file that `gateway/import-candidates` listed. */
  "gateway/add-found": {
    params: { text?: string | undefined; file?: string | undefined; names: string[] };
    result: { added: string[]; pending: PendingServer[]; failed: { name: string; message: string }[] };
  };
  /** Withdraws a pending change, or dismisses one that was declined. */
  "gateway/dismiss-server": { params: { id: string }; result: Record<string, never> };
  /** The last lines of a server's log. With `follow`, new lines arrive as `gateway/stderr`. */
  "gateway/server-log": {
    params: { server: string; follow?: boolean | undefined };
    result: { lines: StderrLine[] };
  };
}

/** Notifications to a page about the settings file, on channel `.`. */
export interface SetupNotices {
  /** The settings file or a pending change is different: request `gateway/settings` again. */
  "gateway/setup-changed": Record<string, never>;
  "gateway/stderr": { server: string; lines: StderrLine[] };
}
