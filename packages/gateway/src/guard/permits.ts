/**
 * Permits of actions that the page performs itself, and whose outcomes are pending.
 *
 * @module
 */
import type { AuditLog, AuditOutcome } from "../store/store.js";

/** Maximum number of open permits per view. Beyond it, the oldest ends as indeterminate. */
const MAX_OPEN = 1000;

/** The outcome that the page reports. */
export type PermitOutcome = Pick<AuditOutcome, "code"> & {
  readonly outcome: Exclude<AuditOutcome["outcome"], "indeterminate">;
};

/** The open permits of a guard, by view. */
export class Permits {
  readonly #end: AuditLog["end"];
  readonly #clock: () => number;
  readonly #views = new Map<string, Map<number, number>>();

  constructor(end: AuditLog["end"], clock: () => number) {
    this.#end = end;
    this.#clock = clock;
  }

  /** Open permits of a view. */
  count(view: string): number {
    return this.#views.get(view)?.size ?? 0;
  }

  /** Records a permit of a view. */
  give(view: string, permit: number): void {
    const open = this.#views.get(view) ?? new Map<number, number>();
    this.#views.set(view, open);
    open.set(permit, this.#clock());
    for (const oldest of open.keys()) {
      if (open.size <= MAX_OPEN) break;
      this.#take(view, oldest, { outcome: "indeterminate" });
    }
  }

  /** Ends a permit. Returns false if this view has no such permit, or it has ended. */
  take(view: string, permit: number, { outcome, code }: PermitOutcome): boolean {
    return this.#take(view, permit, { outcome, code });
  }

  /** Ends the permits of a closed view as indeterminate. */
  close(view: string): void {
    for (const permit of [...(this.#views.get(view)?.keys() ?? [])]) {
      this.#take(view, permit, { outcome: "indeterminate" });
    }
  }

  /** Ends the permits of all views. */
  closeAll(): void {
    for (const view of [...this.#views.keys()]) this.close(view);
  }

  #take(view: string, permit: number, { outcome, code }: Pick<AuditOutcome, "outcome" | "code">): boolean {
    const open = this.#views.get(view);
    const since = open?.get(permit);
    if (!open || since === undefined) return false;
    open.delete(permit);
    if (open.size === 0) this.#views.delete(view);
    this.#end(permit, { outcome, code, duration: this.#clock() - since });
    return true;
  }
}
