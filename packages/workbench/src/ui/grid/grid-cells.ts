/**
 * An app several times at once: under each selected profile, theme and device.
 *
 * @module
 */
import type { GatewayClient } from "@vitrine/host/gateway";
import type { CallToolResult } from "@vitrine/protocol";
import { AppModel } from "../../model/app/app-model.js";
import { gatewaySource } from "../../model/app/app-source.js";
import type { Look } from "../../model/diagnosis/look.js";
import { messageOf, textOf } from "../../model/messages/messages.js";
import { Observable } from "../../model/observable.js";
import { DEVICES, type DeviceName } from "../../model/profiles/devices.js";
import type { Profile } from "../../model/profiles/profile.js";
import type { Recording } from "../../model/recording/recording.js";
import { Replay } from "../../model/recording/replay.js";

/** The call that the apps show. The tool is not called again. */
export interface GridCall {
  readonly server: string;
  readonly tool: string;
  readonly input: Record<string, unknown>;
  readonly result?: CallToolResult | undefined;
}

/** The subject of the cells: an app with its call, or a recording, which each cell plays. */
export type GridSubject = ShownCall | { readonly recording: Recording };

/** A call, and the server whose app shows it: another server of the same name must not see it. */
interface ShownCall {
  readonly call: GridCall;
  readonly identity: string | undefined;
}

/** The selection: one cell per combination. */
export interface GridChoice {
  readonly profiles: readonly Profile[];
  readonly themes: readonly ("light" | "dark")[];
  readonly devices: readonly DeviceName[];
}

/** An of them. */
export interface GridCell {
  readonly id: string;
  readonly profile: Profile;
  readonly theme: "light" | "dark";
  readonly device: DeviceName;
  readonly app?: AppModel | undefined;
  /** The replay, if it is a recording. */
  readonly replay?: Replay | undefined;
  /** Why there is no app. */
  readonly problem?: string | undefined;
  /** The last message that the app sent as the user. */
  readonly said?: string | undefined;
}

/** Maximum number of apps: each is a document with scripts. */
export const MOST_CELLS = 24;

/** The cells, each with its own view. */
export class GridCells extends Observable {
  readonly #gateway: GatewayClient;
  readonly #subject: GridSubject;
  readonly #cells = new Map<string, GridCell>();
  /** Number of combinations beyond the maximum. */
  left = 0;

  constructor(gateway: GatewayClient, subject: GridSubject) {
    super();
    this.#gateway = gateway;
    this.#subject = subject;
  }

  get list(): readonly GridCell[] {
    return [...this.#cells.values()];
  }

  /** Shows exactly these combinations. Existing cells continue. */
  choose({ profiles, themes, devices }: GridChoice): void {
    const wanted = profiles.flatMap((profile) =>
      devices.flatMap((device) =>
        themes.map((theme) => ({ id: `${profile.id} ${device} ${theme}`, profile, theme, device })),
      ),
    );
    const shown = wanted.slice(0, MOST_CELLS);
    this.left = wanted.length - shown.length;
    const before = new Map(this.#cells);
    this.#cells.clear();
    for (const cell of shown) {
      const known = before.get(cell.id);
      this.#cells.set(cell.id, known ?? cell);
      before.delete(cell.id);
      if (!known) void this.#open(cell);
    }
    for (const cell of before.values()) void closeCell(cell, "the grid shows another");
    this.changed();
  }

  async close(): Promise<void> {
    const cells = this.list;
    this.#cells.clear();
    await Promise.all(cells.map((cell) => closeCell(cell, "the grid is closed")));
  }

  async #open(cell: GridCell): Promise<void> {
    const subject = this.#subject;
    try {
      await ("call" in subject ? this.#show(cell, subject) : this.#play(cell, subject.recording));
    } catch (error) {
      this.#update(cell.id, { problem: messageOf(error) });
    }
  }

  /** Plays a recording to its end, as fast as possible. */
  async #play(cell: GridCell, recording: Recording): Promise<void> {
    const { profile } = cell;
    const replay = await Replay.open(this.#gateway, recording, { profile, look: lookOf(cell) });
    if (this.#cells.get(cell.id) !== cell) return replay.close();
    this.#update(cell.id, { app: replay.app, replay });
    await replay.play("max");
  }

  async #show(cell: GridCell, { call, identity }: ShownCall): Promise<void> {
    const { server, tool, input, result } = call;
    const { narrow, dialects } = cell.profile;
    const view = await this.#gateway.openView({ server, identity, tool, narrow, dialects });
    // The cell was removed meanwhile.
    if (this.#cells.get(cell.id) !== cell) return void (await view.close());
    Object.assign(view.opened, { input, result });
    const app = new AppModel(gatewaySource(view), {
      profile: cell.profile,
      look: lookOf(cell),
      surroundings: {
        message: async (_app, { content }) => this.#update(cell.id, { said: textOf({ content }) }),
      },
    });
    view.onclosed = (problem) => this.#update(cell.id, { problem });
    this.#update(cell.id, { app });
  }

  #update(id: string, change: Partial<GridCell>): void {
    const cell = this.#cells.get(id);
    if (!cell) return;
    this.#cells.set(id, { ...cell, ...change });
    this.changed();
  }
}

const lookOf = ({ device, theme }: GridCell): Look => ({ ...DEVICES[device], theme });

const closeCell = async ({ app, replay }: GridCell, reason: string): Promise<void> =>
  replay ? replay.close() : app?.close(reason);
