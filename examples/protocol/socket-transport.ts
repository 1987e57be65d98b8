import type { Transport } from "@vitrine/protocol";

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text; // The peer answers with a parse error.
  }
};

export const socketTransport = (socket: WebSocket): Transport => ({
  start(receive, closed) {
    socket.onmessage = ({ data }) => receive(parse(data));
    socket.onclose = closed;
  },
  send: (message) => socket.send(JSON.stringify(message)),
  close() {
    socket.onmessage = socket.onclose = null;
    socket.close();
  },
});
