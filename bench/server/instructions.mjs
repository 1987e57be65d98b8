/**
 * The number of instructions of a server's start, counted by valgrind where it is installed. The count is
 * the same on a quiet and a busy machine, while times of the same start differ by half.
 *
 * @module
 */
import { execFile, spawnSync } from "node:child_process";
import { uiExtension } from "@vitrine/protocol";
import { mean } from "../statistics.mjs";
import { HELD, HOLD, holding } from "./held.mjs";

/** Random seeds of V8's hash tables. */
const SEED = 1;

const COUNT = ["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"];
/** V8 generates code at run time. */
const GENERATED = "--smc-check=all-non-file";

/** From the start of the process to the list of tools, as a client would request it. */
const ASKED = [
  {
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: { extensions: uiExtension() },
      clientInfo: { name: "bench", version: "1.0.0" },
    },
  },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/list", params: {} },
]
  .map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  .join("");

const isThere = () => spawnSync("valgrind", ["--version"]).status === 0;

const countOf = (path, held) =>
  new Promise((resolve, reject) => {
    const node = [
      process.execPath,
      "--single-threaded",
      `--hash-seed=${SEED}`,
      `--random-seed=${SEED}`,
      ...HOLD,
      path,
    ];
    const env = { PATH: process.env.PATH, ...holding(held) };
    const child = execFile("valgrind", [...COUNT, GENERATED, ...node], { env }, (error, answer, said) => {
      const [, counted] = /I\s+refs:\s+([\d,]+)/.exec(said) ?? [];
      if (counted && answer.includes('"id":2')) resolve(Number(counted.replaceAll(",", "")));
      else reject(error ?? new Error(`${path} did not answer, or valgrind did not count: ${said}`));
    });
    child.stdin.end(ASKED);
  });

/** The mean of each, in millions; undefined without valgrind. */
export async function startInstructions(official, ours) {
  if (!isThere()) return undefined;
  const counts = { official: [], ours: [] };
  for (const held of HELD) {
    // Both at once: neither changes the other's count.
    const [first, second] = await Promise.all([countOf(official, held), countOf(ours, held)]);
    counts.official.push(first / 1e6);
    counts.ours.push(second / 1e6);
  }
  return { official: mean(counts.official), ours: mean(counts.ours) };
}
