import type { Dial, Line } from "./line.js";

/** Bytes in the socket's buffer above which frames wait in their channels, which take turns. */
const BUFFER = 262_144;

/** Connects with a WebSocket. */
export const dialSocket =
  (Socket: typeof WebSocket): Dial =>
  (url, hello, events) => {
    const address = new URL(url);
    address.protocol = url.protocol.replace("http", "ws");
    const socket = new Socket(address);
    const drop = (last?: string): void => {
      socket.onopen = socket.onmessage = socket.onclose = null;
      // A socket that never opened reports its end as an error; nobody waits for it.
      socket.onerror = () => {};
      if (last && socket.readyState === 1) socket.send(last);
      socket.close();
    };
    const close = (): void => {
      drop();
      events.closed(line);
    };
    const line: Line = {
      kind: "websocket",
      get full() {
        return socket.bufferedAmount > BUFFER;
      },
      send: (frame) => socket.send(frame),
      end: close,
      drop,
    };
    socket.onopen = () => socket.send(hello);
    socket.onmessage = ({ data }) => events.frame(line, `${data}`);
    socket.onclose = socket.onerror = close;
    return line;
  };
