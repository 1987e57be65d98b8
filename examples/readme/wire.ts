import { Session, type SessionTransport } from "@vitrine/wire";

const page = new Session();
const gateway = new Session();
gateway.onmessage = (channel, text) => console.log(channel, text);

// Sessions outlive connections: this message waits until there is one.
page.send("view-1", '{"jsonrpc":"2.0","method":"ping","id":1}');

// A connection: a WebSocket, say. This one is in memory.
const toGateway: SessionTransport = { send: (frame) => gateway.receive(toPage, frame), end: () => undefined };
const toPage: SessionTransport = { send: (frame) => page.receive(toGateway, frame), end: () => undefined };
gateway.attach(toPage, { received: 0 });
page.attach(toGateway, { received: 0 }); // view-1 {"jsonrpc":"2.0","method":"ping","id":1}
