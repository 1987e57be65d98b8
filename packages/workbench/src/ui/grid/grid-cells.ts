/**
 * One call, shown by its app several times at once: under each chosen profile, theme and device.
 *
 * @module
 */
import type { Gateway } from "@vitrine/host/gateway";
import type { CallToolResult } from "@vitrine/protocol";
import { AppModel } from "../../model/app-model.js";
import { gatewaySource } from "../../model/app-source.js";
import { DEVICES, type Device } from "../../model/devices.js";
import { messageOf, textOf } from "../../model/messages.js";
import { Observable } from "../../model/observable.js";
import type { Profile } from "../../model/profile.js";

/** The call that the apps show. The tool is not called again. */
export interface GridCall {
  readonly server: string;
  readonly tool: string;
  readonly input: Record<string, unknown>;
  readonly result?: CallToolResult | undefined;
}

/** What is chosen: a cell for each combination. */
export interface GridChoice {
  readonly profiles: readonly Profile[];
  readonly themes: readonly ("light" | "dark")[];
  readonly devices: readonly Device[];
}

/** One of them. */
export interface GridCell {
  readonly id: string;
  readonly profile: Profile;
  readonly theme: "light" | "dark";
  readonly device: Device;
  readonly app?: AppModel | undefined;
  /** Why there is no app. */
  readonly problem?: string | undefined;
  /** What the app said last, as a turn of the person. */
  readonly said?: string | undefined;
}

/** Apps at once: each is a document with its scripts. */
export const MOST_CELLS = 24;

/** The cells, each with a view of its own. */
export class GridCells extends Observable {
  readonly #gateway: Gateway;
  readonly #call: GridCall;
  readonly #cells = new Map<string, GridCell>();
  /** Combinations that there was no room for. */
  left = 0;

  constructor(gateway: Gateway, call: GridCall) {
    super();
    this.#gateway = gateway;
    this.#call = call;
  }

  get list(): readonly GridCell[] {
    return [...this.#cells.values()];
  }

  /** Shows these, and no others. What is there already goes on. */
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
    for (const { app } of before.values()) void app?.close("the grid shows another");
    this.changed();
  }

  async close(): Promise<void> {
    const cells = this.list;
    this.#cells.clear();
    await Promise.all(cells.map(({ app }) => app?.close("the grid is closed")));
  }

  async #open(cell: GridCell): Promise<void> {
    const { server, tool, input, result } = this.#call;
    try {
      const view = await this.#gateway.openView({ server, tool });
      // Nobody waits for it any more.
      if (this.#cells.get(cell.id) !== cell) return void (await view.close());
      Object.assign(view.opened, { input, result });
      const app = new AppModel(gatewaySource(view), {
        profile: cell.profile,
        look: { ...DEVICES[cell.device], theme: cell.theme },
        surroundings: {
          message: (_app, { content }) => this.#update(cell.id, { said: textOf({ content }) }),
        },
      });
      view.onclosed = (problem) => this.#update(cell.id, { problem });
      this.#update(cell.id, { app });
    } catch (error) {
      this.#update(cell.id, { problem: messageOf(error) });
    }
  }

  #update(id: string, change: Partial<GridCell>): void {
    const cell = this.#cells.get(id);
    if (!cell) return;
    this.#cells.set(id, { ...cell, ...change });
    this.changed();
  }
}
