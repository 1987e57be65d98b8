import { VitrineError } from "@vitrine/protocol";
import { describe, expect, it, vi } from "vitest";
import { Calls, portOf } from "./calls.js";
import { viewGuard } from "./view-guard.js";

/** Calls to a gateway that allows everything, over a wire that can break. */
function setUp() {
  const wire = { isBroken: false };
  const sent: Record<string, unknown>[] = [];
  const port = portOf("v1", true);
  const calls: Calls = new Calls((_channel, text) => {
    if (wire.isBroken) throw new VitrineError("send-failed", "too much waits to be sent");
    const message = JSON.parse(text) as Record<string, unknown>;
    sent.push(message);
    if (message["id"] === undefined) return;
    const result = { permit: 7, params: message["params"] };
    queueMicrotask(
      () => void calls.receive(port, JSON.stringify({ jsonrpc: "2.0", id: message["id"], result })),
    );
  });
  const call = {
    view: "v1",
    server: "shop",
    method: "ui/open-link",
    params: { url: "https://a.example" },
  } as const;
  return { wire, sent, guard: viewGuard(calls, port), call };
}

describe("the page's part of the guard", () => {
  it("reports how an action ended", async () => {
    const { sent, guard, call } = setUp();
    expect(await guard(call, async () => ({}))).toEqual({});
    expect(sent.at(-1)).toMatchObject({ method: "gateway/outcome", params: { permit: 7, outcome: "ok" } });
  });

  it("does not call an action failed that was done, when only the report of it could not be sent", async () => {
    const { wire, guard, call } = setUp();
    const act = vi.fn(async () => {
      wire.isBroken = true;
      return { opened: true };
    });
    expect(await guard(call, act)).toEqual({ opened: true });
    expect(act).toHaveBeenCalledOnce();
  });

  it("tells the view why an action failed, also when that could not be reported", async () => {
    const { wire, guard, call } = setUp();
    const act = async (): Promise<never> => {
      wire.isBroken = true;
      throw new VitrineError("aborted", "the user closed it");
    };
    await expect(guard(call, act)).rejects.toThrow("the user closed it");
  });
});
