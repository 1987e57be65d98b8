/** A node as a process of its own, so that a test can stop or kill it. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** A node that owns every user. */
const PROGRAM = `
import { NodeStage } from "./node-stage.js";

const id = process.argv[2] ?? "b";
const stage = new NodeStage();
const { ref } = await stage.add(id);
for (const user of ["ada", "bob"]) stage.owners.owners.set(user, id);
process.stdout.write(ref.address);
`;
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The path of the program. Its argument is the id of the node, and it prints the node's address. */
export async function nodeProgram(): Promise<string> {
  const folder = join(ROOT, "node_modules/.cache/vitrine-nodes");
  await mkdir(folder, { recursive: true });
  const outfile = join(folder, `node-${process.pid}.mjs`);
  await build({
    stdin: { contents: PROGRAM, resolveDir: join(ROOT, "testing/gateway"), loader: "ts" },
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    outfile,
  });
  return outfile;
}
