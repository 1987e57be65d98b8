/** The network between pages and a gateway, which a test can cut, freeze, or slow down. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

interface Pair {
  readonly page: Socket;
  readonly gateway: Socket;
  isFrozen: boolean;
}

/** Passes bytes on, as long as the test lets it. */
export class FaultLine {
  /** The gateway's port. */
  target = 0;
  /** Whether new connections come through. */
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

  /** Both ends of every connection hear that it was reset. */
  reset(): void {
    for (const { page, gateway } of this.#pairs) {
      page.resetAndDestroy();
      gateway.resetAndDestroy();
    }
  }

  /** Nothing passes any more on the connections that there are, and neither end hears of it. */
  freeze(): void {
    for (const pair of this.#pairs) {
      pair.isFrozen = true;
      pair.page.pause();
      pair.gateway.pause();
    }
  }

  /** What is frozen ends at last. */
  drop(): void {
    for (const pair of this.#pairs) {
      if (!pair.isFrozen) continue;
      this.#pairs.delete(pair);
      pair.page.destroy();
      pair.gateway.destroy();
    }
  }

  /** What the gateway sends is not taken from it. */
  holdDown(): void {
    for (const { gateway } of this.#pairs) gateway.pause();
  }

  /** It is again. */
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
        // A line that is down tells nobody.
        if (pair.isFrozen) return;
        this.#pairs.delete(pair);
        to.destroy();
      });
    }
  }
}
