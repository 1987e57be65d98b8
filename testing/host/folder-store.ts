/** A store that several processes share: a file for each entry. */
import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SharedStore } from "../../examples/chat/records.js";

export const folderStore = (folder: string): SharedStore => {
  const fileOf = (key: string): string => join(folder, encodeURIComponent(key));
  return {
    get: (key) => readFile(fileOf(key), "utf8").catch(() => null),
    async set(key, value) {
      // A reader never sees a part of a file.
      const file = fileOf(`new ${randomUUID()}`);
      await writeFile(file, value);
      await rename(file, fileOf(key));
    },
    delete: (key) => rm(fileOf(key), { force: true }),
  };
};
