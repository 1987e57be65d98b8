import { isChannel, parseFrame, writeFrame } from "./frame.js";
import { readHandshake, writeHandshake } from "./handshake.js";
import { Session } from "./session.js";
import type { SessionTransport } from "./session-transport.js";

export function isChannelExample() {
  //#region isChannel
  isChannel("view-1"); // true
  isChannel("view 1"); // false
  //#endregion isChannel
}

export function writeFrameExample() {
  //#region writeFrame
  writeFrame({ seq: 7, ack: 3, channel: "view-1", more: false, text: '{"jsonrpc":"2.0"}' });
  // '7 3 view-1 {"jsonrpc":"2.0"}'
  //#endregion writeFrame
}

export function parseFrameExample() {
  //#region parseFrame
  parseFrame("- 12"); // { ack: 12 }
  parseFrame("7 3 view-1+ {"); // { seq: 7, ack: 3, channel: "view-1", more: true, text: "{" }
  //#endregion parseFrame
}

export function writeHandshakeExample(socket: WebSocket) {
  //#region writeHandshake
  socket.send(writeHandshake("hello", { version: 1, received: 0 }));
  //#endregion writeHandshake
}

export function readHandshakeExample(frame: string, show: (text: string) => void) {
  //#region readHandshake
  const bye = readHandshake("bye", frame);
  if (bye) show(`${bye.code}: ${bye.message}`);
  //#endregion readHandshake
}

export function sessionExample(socket: WebSocket, show: (text: string) => void) {
  //#region session
  const session = new Session();
  session.onmessage = (channel, text) => show(`${channel}: ${text}`);
  session.send("view-1", '{"jsonrpc":"2.0","method":"ping","id":1}'); // Queued until there is a transport.
  const transport: SessionTransport = { send: (frame) => socket.send(frame), end: () => socket.close() };
  socket.onmessage = ({ data }) => session.receive(transport, data);
  socket.onclose = () => session.detach(transport);
  // After the handshake, in which both sides report what they have received:
  session.attach(transport, { received: 0 });
  //#endregion session
}
