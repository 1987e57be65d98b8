/**
 * Servers with twenty tools and views, over stdio behind the official client: started, listed, called, read.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { uiExtension } from "@vitrine/protocol";
import { ms, quantile, shuffled, table, times } from "../statistics.mjs";

const SERVERS = { "official SDK and helpers": "plain.mjs", "@vitrine/server": "ours.mjs" };
const STEPS = ["start", "tools/list", "tools/call", "resources/read"];
/** At most so many times as long as the official SDK alone. */
export const EXPECTED = 1.05;

async function connect(file) {
  const client = new Client(
    { name: "bench", version: "1.0.0" },
    { capabilities: { extensions: uiExtension() }, versionNegotiation: { mode: "legacy" } },
  );
  const path = fileURLToPath(new URL(file, import.meta.url));
  // A minimal environment: what is in ours has nothing to do with them.
  const env = { PATH: process.env.PATH };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [path], env, stderr: "ignore" }),
  );
  return client;
}

/** Measures both in turn, `rounds` times. */
export async function measureServers(rounds = 8) {
  const samples = {};
  const note = (name, step, time) => ((samples[name] ??= {})[step] ??= []).push(time);
  for (let round = 0; round < rounds; round++) {
    for (const [name, file] of shuffled(Object.entries(SERVERS))) {
      const began = performance.now();
      const client = await connect(file);
      const { tools } = await client.listTools();
      note(name, "start", performance.now() - began);
      const uri = tools[7]._meta.ui.resourceUri;
      const steps = {
        "tools/list": () => client.listTools(),
        "tools/call": () => client.callTool({ name: "tool-7", arguments: { city: "Berne" } }),
        "resources/read": () => client.readResource({ uri }),
      };
      for (const [step, ask] of Object.entries(steps)) {
        for (let n = 0; n < 50; n++) await ask();
        for (let n = 0; n < 200; n++) {
          const asked = performance.now();
          await ask();
          note(name, step, performance.now() - asked);
        }
      }
      await client.close();
    }
  }
  const [official, ours] = Object.keys(SERVERS);
  return STEPS.map((step) => {
    const [theirs, mine] = [official, ours].map((name) => quantile(samples[name][step], 0.5));
    return { step, official: theirs, ours: mine, ratio: mine / theirs };
  });
}

export const showServers = (rows) =>
  table(
    ["p50, over stdio", ...Object.keys(SERVERS), "ours ÷ official"],
    rows.map(({ step, official, ours, ratio }) => [step, ms(official), ms(ours), times(ratio)]),
  );

/** One line for each expectation that is not met. */
export const serverShortfalls = (rows) =>
  rows
    .filter(({ ratio }) => ratio > EXPECTED)
    .map(
      ({ step, ratio }) =>
        `over ${EXPECTED}×: a server of ours, ${step} = ${times(ratio)} of the official SDK alone`,
    );
