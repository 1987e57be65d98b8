/** A gateway that loses its lease starts again, also if it loses it during its start. */
import { GatewayError } from "@vitrine/wire";
import { expect, it, vi } from "vitest";
import { LeaseOver } from "../store/postgres-fence.js";
import type { RunningGateway } from "./gateway.js";
import { RejoiningGateway, type RejoinOptions } from "./rejoin.js";

const log = { info: () => {}, error: () => {} };

/** Starts that can be followed. Each of them does one of these things. */
function starts(...acts: ((onlost: () => void) => void)[]) {
  const gateways: { close: ReturnType<typeof vi.fn>; lose: () => void }[] = [];
  const start: RejoinOptions["start"] = async (onlost) => {
    const gateway = { close: vi.fn(async () => {}), lose: onlost };
    gateways.push(gateway);
    acts[gateways.length - 1]?.(onlost);
    return gateway as unknown as RunningGateway;
  };
  return { gateways, start };
}

it("a lease that is lost during the first start begins another start", async () => {
  const { gateways, start } = starts(
    (onlost) => onlost(),
    () => {
      throw new GatewayError("audit-failed", "the database does not answer", { cause: new LeaseOver() });
    },
    (onlost) => {
      onlost();
      throw new Error("the port is in use");
    },
  );
  const rejoining = await RejoiningGateway.start({ start, log });
  expect(gateways).toHaveLength(4);
  expect(gateways.map(({ close }) => close.mock.calls.length)).toEqual([1, 0, 0, 0]);
  expect(rejoining.current).toBe(gateways[3]);
});

it("another error ends the first start, and so does a lease that is lost each time", async () => {
  const failing = starts(() => {
    throw new GatewayError("config-invalid", "the port is in use");
  });
  await expect(RejoiningGateway.start({ start: failing.start, log })).rejects.toThrow("the port is in use");
  expect(failing.gateways).toHaveLength(1);
  const lost = starts(...Array.from({ length: 9 }, () => (onlost: () => void) => onlost()));
  await expect(RejoiningGateway.start({ start: lost.start, log })).rejects.toBeInstanceOf(LeaseOver);
  expect(lost.gateways).toHaveLength(5);
});

it("a lease that is lost later ends the gateway, and starts the next one", async () => {
  const { gateways, start } = starts(
    () => {},
    (onlost) => onlost(),
  );
  const rejoining = await RejoiningGateway.start({ start, log });
  gateways[0]?.lose();
  expect(rejoining.current).toBeUndefined();
  await vi.waitFor(() => expect(rejoining.current).toBeDefined(), { timeout: 10_000 });
  expect(rejoining.current).toBe(gateways[2]);
  expect(gateways.map(({ close }) => close.mock.calls.length)).toEqual([1, 1, 0]);
  await rejoining.close();
  expect(gateways[2]?.close).toHaveBeenCalled();
});

it("a gateway that is closed while it cannot join again stops trying", async () => {
  const failing = (): void => {
    throw new Error("the database does not answer");
  };
  const { gateways, start } = starts(() => {}, failing, failing, failing);
  const rejoining = await RejoiningGateway.start({ start, log });
  gateways[0]?.lose();
  await vi.waitFor(() => expect(gateways).toHaveLength(2));
  await rejoining.close();
  expect(gateways).toHaveLength(2);
  expect(rejoining.current).toBeUndefined();
});
