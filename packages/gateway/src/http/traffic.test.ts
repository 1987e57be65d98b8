import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, it } from "vitest";
import { HttpTraffic } from "./traffic.js";

it("stops, even if one of its connections breaks at that moment", async () => {
  const server = createServer();
  const traffic = new HttpTraffic(server);
  server.on("upgrade", (_, socket) => traffic.opened(socket, undefined));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const open = async (): Promise<{ client: Socket; socket: Socket }> => {
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
    client.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n");
    const [{ socket }] = (await once(server, "upgrade")) as [{ socket: Socket }];
    return { client, socket };
  };
  const [broken, whole] = [await open(), await open()];

  const stopped = traffic.stop(0);
  // As the system reports it for a closed page.
  broken.socket.destroy(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
  await expect(stopped).resolves.toBeUndefined();
  expect(whole.socket.destroyed).toBe(true);
  for (const { client } of [broken, whole]) client.destroy();
});
