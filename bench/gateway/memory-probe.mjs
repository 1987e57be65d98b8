/**
 * Loaded into the gateway's process before anything else: on SIGUSR2, collects garbage and writes its memory to a file.
 *
 * @module
 */
import { renameSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const file = process.env.MEMORY_FILE;
if (file) {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc");
  process.on("SIGUSR2", async () => {
    for (let times = 0; times < 3; times++) {
      gc();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()));
    renameSync(`${file}.new`, file);
  });
}
