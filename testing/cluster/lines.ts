/**
 * Lines in a thread of their own. In the thread of hundreds of clients, every byte between a node and its database would wait for
 * their work, and nodes would lose their leases without a fault.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";

/** A change of a line, or an action on it. */
export type LineRequest =
  | { readonly word: "open" | "reset" | "freeze" | "drop" | "close" }
  | { readonly word: "target"; readonly port: number }
  | { readonly word: "isOpen"; readonly isOpen: boolean };

/** The answer to a request: the line's port, or a problem. */
export interface LineAnswer {
  readonly number: number;
  readonly port?: number;
  readonly problem?: string;
}

/** A line of {@link Lines}. Actions have happened when they resolve. */
export interface Line {
  /** Where clients connect to. */
  readonly port: number;
  /** Where the line leads to. */
  lead(port: number): Promise<void>;
  /** Whether new connections are accepted. */
  open(isOpen: boolean): Promise<void>;
  /** Resets every connection, at both ends. */
  reset(): Promise<void>;
  /** Freezes all open connections: no byte passes, and neither end notices. */
  freeze(): Promise<void>;
  /** Ends frozen connections. */
  drop(): Promise<void>;
}

/** All lines of a stage. */
export class Lines {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, { resolve(port: number): void; reject(error: Error): void }>();
  #requests = 0;
  #lines = 0;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on("message", ({ number, port = 0, problem }: LineAnswer) => {
      const waiting = this.#waiting.get(number);
      this.#waiting.delete(number);
      if (problem === undefined) waiting?.resolve(port);
      else waiting?.reject(new Error(problem));
    });
  }

  /** Starts the thread. */
  static async start(): Promise<Lines> {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL("./line-worker.ts", import.meta.url))],
      bundle: true,
      write: false,
      platform: "node",
      format: "cjs",
    });
    const [bundle] = outputFiles;
    if (!bundle) throw new Error("the thread of the lines cannot be built");
    return new Lines(new Worker(bundle.text, { eval: true }));
  }

  /** Opens another line. */
  async open(): Promise<Line> {
    const id = ++this.#lines;
    const port = await this.#ask(id, { word: "open" });
    const act = async (request: LineRequest): Promise<void> => void (await this.#ask(id, request));
    return {
      port,
      lead: (to) => act({ word: "target", port: to }),
      open: (isOpen) => act({ word: "isOpen", isOpen }),
      reset: () => act({ word: "reset" }),
      freeze: () => act({ word: "freeze" }),
      drop: () => act({ word: "drop" }),
    };
  }

  /** Ends the thread, and all lines with it. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #ask(id: number, request: LineRequest): Promise<number> {
    const number = ++this.#requests;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      this.#worker.postMessage([number, id, request]);
    });
  }
}
