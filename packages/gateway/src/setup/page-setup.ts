/**
 * A page's requests about the settings file.
 *
 * @module
 */
import { GatewayError, type SetupRequests, type StderrLine } from "@vitrine/wire";
import type { ServerLogs } from "./server-logs.js";
import type { ServerSetup } from "./server-setup.js";

/** The parts of a gateway that pages administer. */
export interface Administration {
  /** Undefined if this gateway has no settings file that it may change. */
  readonly setup: ServerSetup | undefined;
  readonly logs: ServerLogs;
  /** Whether a user may use them. Asked for each request, because settings change. */
  mayAdminister(user: string): boolean;
}

type Method = keyof SetupRequests;

/** Handles the requests of one page. */
export class PageSetup {
  readonly #user: string;
  readonly #administration: Administration | undefined;
  readonly #send: (server: string, lines: StderrLine[]) => void;
  /** Servers whose logs the page follows. */
  readonly #followed = new Set<string>();

  constructor(
    user: string,
    administration: Administration | undefined,
    send: (server: string, lines: StderrLine[]) => void,
  ) {
    this.#user = user;
    this.#administration = administration;
    this.#send = send;
  }

  static handles(method: string): method is Method {
    return Object.hasOwn(HANDLERS, method);
  }

  /** Whether the user may change the settings file. */
  get isAllowed(): boolean {
    return this.#administration?.setup !== undefined && this.#mayAdminister;
  }

  /** @throws {GatewayError} `admin-required`, `settings-unwritable` */
  handle<M extends Method>(
    method: M,
    params: SetupRequests[M]["params"],
  ): SetupRequests[M]["result"] | Promise<SetupRequests[M]["result"]> {
    const { setup } = this.#administration ?? {};
    if (!this.#mayAdminister)
      throw new GatewayError(
        "admin-required",
        "only a user who administers this gateway may do this: its operator names them in admins",
      );
    if (method === "gateway/server-log")
      return this.#log(params as SetupRequests["gateway/server-log"]["params"]) as SetupRequests[M]["result"];
    if (!setup)
      throw new GatewayError(
        "settings-unwritable",
        "this gateway has no settings file that a page may change",
      );
    return HANDLERS[method](setup, this.#user, params);
  }

  /** Sends new lines, if the page follows that log and its user still may. */
  lines(server: string, lines: StderrLine[]): void {
    if (this.#followed.has(server) && this.#mayAdminister) this.#send(server, lines);
  }

  /** The page was reloaded, or is gone: it follows no log. */
  reset(): void {
    this.#followed.clear();
  }

  get #mayAdminister(): boolean {
    return this.#administration?.mayAdminister(this.#user) ?? false;
  }

  #log({ server, follow }: SetupRequests["gateway/server-log"]["params"]): { lines: StderrLine[] } {
    if (follow) this.#followed.add(server);
    else this.#followed.delete(server);
    return { lines: this.#administration?.logs.lines(server) ?? [] };
  }
}

const HANDLERS: {
  readonly [M in Method]: (
    setup: ServerSetup,
    user: string,
    params: SetupRequests[M]["params"],
  ) => SetupRequests[M]["result"] | Promise<SetupRequests[M]["result"]>;
} = {
  "gateway/settings": (setup) => setup.state(),
  "gateway/add-server": (setup, user, params) => setup.add(user, params),
  "gateway/change-server": (setup, user, params) => setup.change(user, params),
  "gateway/remove-server": async (setup, user, params) => {
    await setup.remove(user, params);
    return {};
  },
  "gateway/read-servers": (setup, _, { text }) => setup.read(text),
  "gateway/import-candidates": (setup) => setup.candidates(),
  "gateway/add-found": (setup, user, params) => setup.addFound(user, params),
  "gateway/dismiss-server": (setup, _, { id }) => {
    setup.dismiss(id);
    return {};
  },
  "gateway/server-log": () => ({ lines: [] }),
};
