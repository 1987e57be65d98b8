/** A connection to a node's listener for others, with messages that a test writes itself. */
import { WebSocket } from "ws";
import { LINK_TARGET } from "../../packages/gateway/src/nodes/link/dialled-link.js";
import { nodeKeys, tlsOfClient } from "../../packages/gateway/src/nodes/link/keys.js";
import { OPERATION_HEADER, OperationSigner } from "../../packages/gateway/src/nodes/link/operation.js";
import { SECRET, type StageNode } from "./node-stage.js";

const KEYS = nodeKeys(SECRET);

/** Connects as a node that knows the secret. */
export async function linkTo(to: StageNode, by = new OperationSigner(KEYS.operation, "a")) {
  const operation = by.sign(to.id, { user: "", origin: "", address: "" }, LINK_TARGET, "");
  const socket = new WebSocket(`wss://${to.ref.address}/link`, {
    ...tlsOfClient(KEYS),
    headers: { [OPERATION_HEADER]: operation },
  });
  const received: string[] = [];
  socket.on("message", (data) => received.push(String(data)));
  socket.on("error", () => {});
  await new Promise((resolve) => socket.on("open", resolve).on("unexpected-response", resolve));
  return { socket, received, operation, by };
}
