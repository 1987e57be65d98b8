import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePorts } from "./free-ports.js";

const taken = createServer();
let port = 0;
beforeAll(async () => {
  taken.listen(0, "127.0.0.1");
  await once(taken, "listening");
  ({ port } = taken.address() as AddressInfo);
});
afterAll(() => void taken.close());

describe("freePorts", () => {
  it("takes the next free ones by default", async () => {
    const { page, apps } = await freePorts(undefined, port);
    expect(page).not.toBe(port);
    expect(new Set([page, apps, port]).size).toBe(3);
  });

  it("reports that the given port is in use", async () => {
    await expect(freePorts(port, 8090)).rejects.toMatchObject({
      code: "port-in-use",
      exit: 1,
      message: expect.stringContaining(`port ${port} is in use`),
    });
  });

  it("leaves it to the system with port 0", async () => {
    expect(await freePorts(0, port)).toEqual({ page: 0, apps: 0 });
  });
});
