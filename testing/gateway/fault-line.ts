/** The network between pages and a gateway, which a test can cut, freeze, or slow down. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

interface Pair {
  readonly page: Socket;
  readonly gateway: Socket;
  isFrozen: boolean;
}

/** Forwards bytes as long as the test allows it. */
export class FaultLine {
  /** The gateway's port. */
  target = 0;
  /** Whether new connections are accepted. */
  isOpen = true;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();

  private constructor() {
    this.#server = createServer((page) => {
      if (this.isOpen) this.#join(page, connect(this.target, "127.0.0.1"));
      else page.resetAndDestroy();
    });
  }

  static async open(): Promise<FaultLine> {
    const line = new FaultLine();
    await new Promise<void>((resolve) => line.#server.listen(0, "127.0.0.1", resolve));
    return line;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Resets every connection, at both ends. */
  reset(): void {
    for (const { page, gateway } of this.#pairs) {
      page.resetAndDestroy();
      gateway.resetAndDestroy();
    }
  }

  /** Freezes all open connections: no byte passes, and neither end notices. */
  freeze(): void {
    for (const pair of this.#pairs) {
      pair.isFrozen = true;
      pair.page.pause();
      pair.gateway.pause();
    }
  }

  /** Ends frozen connections. */
  drop(): void {
    for (const pair of this.#pairs) {
      if (!pair.isFrozen) continue;
      this.#pairs.delete(pair);
      pair.page.destroy();
      pair.gateway.destroy();
    }
  }

  /** Stops reading from the gateway. */
  holdDown(): void {
    for (const { gateway } of this.#pairs) gateway.pause();
  }

  /** Resumes reading. */
  letDown(): void {
    for (const { gateway } of this.#pairs) gateway.resume();
  }

  async close(): Promise<void> {
    this.reset();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(page: Socket, gateway: Socket): void {
    const pair: Pair = { page, gateway, isFrozen: false };
    this.#pairs.add(pair);
    for (const [from, to] of [
      [page, gateway],
      [gateway, page],
    ] as const) {
      from.on("data", (data) => {
        if (!to.write(data)) from.pause();
      });
      to.on("drain", () => {
        if (!pair.isFrozen) from.resume();
      });
      from.on("error", () => {});
      from.on("close", () => {
        // A line that is down gives no sign of it.
        if (pair.isFrozen) return;
        this.#pairs.delete(pair);
        to.destroy();
      });
    }
  }
}
