import { commandLineServer } from "@vitrine/gateway";
import { expect, it } from "vitest";
import { verdictKey } from "./verdicts.js";

it("attack E01: another server of the same name is probed for its protocol again, even with the same command", () => {
  const [one, other] = ["/a", "/b"].map((folder) => {
    const server = commandLineServer(["node", "server.js"], { cwd: folder });
    const { transport } = server;
    return {
      ...server,
      transport: transport.type === "stdio" ? { ...transport, cwd: undefined } : transport,
    };
  });
  if (!one || !other) throw new Error("there are two");
  expect(one.name).toBe(other.name);
  expect(verdictKey(one)).not.toBe(verdictKey(other));
});
