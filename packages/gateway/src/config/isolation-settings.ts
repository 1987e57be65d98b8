/**
 * Parses the isolation settings of a server.
 *
 * @module
 */
import { isAbsolute, join, resolve } from "node:path";
import type { Isolation } from "@vitrine/servers";
import { count, either, flag, listOf, object, oneOf, size, text, type ValueReader } from "./reader.js";

/** Strict, with limits that suffice for ordinary servers. */
export const ISOLATION: Isolation = {
  driver: "auto",
  network: false,
  read: [],
  write: [],
  memory: 1_000_000_000,
  processes: 256,
  tmp: 256_000_000,
};

const driver = oneOf("auto", "process", "bubblewrap", "container");

/** The bases of relative paths and `~`. */
export interface PathBases {
  /** The folder of the settings file. */
  folder: string;
  /**
   * The working directory of programs without `cwd`: the same folder, or the parent of `.vscode` and
   * `.cursor`.
   */
  start: string;
  home: string | undefined;
}

/** An absolute path. Relative paths start at the folder of the settings file, and `~/` at the user's home. */
export const path =
  ({ folder, home }: PathBases, string: ValueReader<string> = text): ValueReader<string> =>
  (value, spot) => {
    const written = string(value, spot);
    if (written === undefined || isAbsolute(written)) return written;
    if (!/^~(\/|$)/.test(written)) return resolve(folder, written);
    return home
      ? join(home, written.slice(1))
      : spot.wrong("the home folder is unknown", "set HOME, or write the whole path");
  };

/** A driver's name, or an object. Returns only what is written. */
export const isolation = (bases: PathBases, string: ValueReader<string>): ValueReader<Partial<Isolation>> => {
  const paths = listOf(path(bases, string));
  const whole = object({
    driver,
    network: flag,
    read: paths,
    write: paths,
    memory: size,
    processes: count(1),
    cpuSeconds: count(1),
    tmp: size,
    image: text,
    engine: oneOf("podman", "docker"),
  });
  return either(
    (value) => typeof value === "string",
    (value, spot) => {
      const name = driver(value, spot);
      return name && { driver: name };
    },
    whole,
  );
};
