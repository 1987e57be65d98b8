/** The thread of the lines of a stage: see `lines.ts`, which starts it. */
import { parentPort } from "node:worker_threads";
import { FaultLine } from "../gateway/fault-line.ts";
import type { LineAnswer, LineRequest } from "./lines.ts";

const lines = new Map<number, FaultLine>();

async function run(id: number, request: LineRequest): Promise<number> {
  if (request.word === "open") {
    const line = await FaultLine.open();
    lines.set(id, line);
    return line.port;
  }
  const line = lines.get(id);
  if (!line) throw new Error(`there is no line ${id}`);
  if (request.word === "target") line.target = request.port;
  else if (request.word === "isOpen") line.isOpen = request.isOpen;
  else await line[request.word]();
  return line.port;
}

parentPort?.on("message", async ([number, id, request]: [number, number, LineRequest]) => {
  const answer = await run(id, request).then(
    (port): LineAnswer => ({ number, port }),
    (error: unknown): LineAnswer => ({ number, problem: String(error) }),
  );
  parentPort?.postMessage(answer);
});
