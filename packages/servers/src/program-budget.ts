/**
 * The programs that run as servers, of each user and of all users: how many, and how much memory together.
 *
 * @module
 */
import { totalmem } from "node:os";
import { GatewayError } from "@vitrine/wire";
import type { Launch, Launched } from "./isolation/isolation.js";
import { memoryOfFamilies } from "./isolation/memory-watch.js";

/** Limits of running programs. */
export interface ProgramLimits {
  /** Programs of all users; 512 by default. A program with its child processes counts as one. */
  processes?: number | undefined;
  /** Programs of one user; 64 by default. */
  processesPerUser?: number | undefined;
  /** Bytes of all programs together; by default 80 % of the machine's memory, or of the control group's. */
  memory?: number | undefined;
  /** Bytes of all programs of one user; not limited by default. */
  memoryPerUser?: number | undefined;
}

const DEFAULTS = { processes: 512, processesPerUser: 64 };
/** Milliseconds after which a refused start may be tried again. */
const RETRY_AFTER = 5000;
/** Milliseconds between measurements. */
const PAUSE = 2000;

interface Program {
  readonly name: string;
  /** Undefined for a server that all users share. */
  readonly user: string | undefined;
  launched?: Launched;
  stop?: (limit: string) => void;
}

/** Starts programs within limits, and ends the one that uses the most memory when all of them use too much. */
export class ProgramBudget {
  readonly #limits: () => ProgramLimits;
  readonly #programs = new Set<Program>();
  readonly #pause: number;
  #timer: NodeJS.Timeout | undefined;

  /** @param limits the limits in force */
  constructor(limits: () => ProgramLimits, pause = PAUSE) {
    this.#limits = limits;
    this.#pause = pause;
  }

  /** Wraps the function that starts the programs of a user. Without a user, they are shared. */
  launching(launch: Launch, user: string | undefined): Launch {
    return async (spec) => {
      this.#checkRoom(spec.name, user);
      const program: Program = { name: spec.name, user };
      // Starts that overlap count too.
      this.#programs.add(program);
      try {
        const launched = await launch(spec);
        return this.#watched(program, launched);
      } catch (error) {
        this.#programs.delete(program);
        throw error;
      }
    };
  }

  #watched(program: Program, launched: Launched): Launched {
    let limit: string | undefined;
    program.launched = launched;
    program.stop = (exceeded) => {
      limit = exceeded;
      void launched.stop(0).catch(() => {});
    };
    const exited = launched.exited.then((exit) => {
      this.#programs.delete(program);
      return limit === undefined ? exit : { ...exit, exceeded: limit };
    });
    this.#schedule();
    const { driver, pid, stdin, stdout, stderr } = launched;
    return { driver, pid, stdin, stdout, stderr, exited, stop: (grace) => launched.stop(grace) };
  }

  #checkRoom(name: string, user: string | undefined): void {
    const { processes = DEFAULTS.processes, processesPerUser = DEFAULTS.processesPerUser } = this.#limits();
    const own = [...this.#programs].filter((program) => user !== undefined && program.user === user).length;
    if (own >= processesPerUser)
      throw full(name, `${own} servers of this user are running`, "limits.processesPerUser");
    if (this.#programs.size >= processes)
      throw full(name, `${this.#programs.size} servers are running`, "limits.processes");
  }

  #schedule(): void {
    if (this.#timer || this.#programs.size === 0) return;
    this.#timer = setTimeout(async () => {
      await this.#measure();
      this.#timer = undefined;
      this.#schedule();
    }, this.#pause).unref();
  }

  async #measure(): Promise<void> {
    const { memory = defaultMemory(), memoryPerUser } = this.#limits();
    const programs = [...this.#programs].filter(({ launched }) => launched);
    const used = await memoryOfFamilies(programs.map(({ launched }) => launched?.pid ?? 0));
    const measured = programs.map((program, index) => ({ program, bytes: used[index] ?? 0 }));
    const byUser = new Map<string | undefined, typeof measured>();
    for (const each of measured) {
      const own = byUser.get(each.program.user) ?? [];
      byUser.set(each.program.user, [...own, each]);
    }
    const users = [...byUser].sort(([, a], [, b]) => sum(b) - sum(a));
    if (sum(measured) > memory) endLargest(users[0]?.[1] ?? [], "limits.memory");
    for (const [user, own] of users)
      if (user !== undefined && memoryPerUser !== undefined && sum(own) > memoryPerUser)
        endLargest(own, "limits.memoryPerUser");
  }
}

type Measured = readonly { readonly program: Program; readonly bytes: number }[];

const sum = (programs: Measured): number => programs.reduce((total, { bytes }) => total + bytes, 0);

function endLargest(programs: Measured, limit: string): void {
  const [largest] = [...programs].sort((a, b) => b.bytes - a.bytes);
  largest?.program.stop?.(limit);
}

function full(name: string, why: string, limit: string): GatewayError {
  const message = `"${name}" is not started: ${why}, which is the limit of "${limit}". Try again when one has stopped`;
  return new GatewayError("overloaded", message, { data: { limit, retryAfter: RETRY_AFTER } });
}

function defaultMemory(): number {
  const constrained = process.constrainedMemory?.() ?? 0;
  const total = totalmem();
  return 0.8 * (constrained > 0 ? Math.min(constrained, total) : total);
}
