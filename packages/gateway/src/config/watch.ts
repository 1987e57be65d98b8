/**
 * Keeps an eye on the settings file while the gateway runs.
 *
 * @module
 */
import { unwatchFile, watchFile } from "node:fs";
import { GatewayError } from "@vitrine/wire";
import type { GatewaySettings } from "./config.js";
import { type ReadOptions, readSettings, readText, storedSecrets } from "./read.js";

/** Options of {@link watchSettings}. */
export interface WatchOptions extends Omit<ReadOptions, "file"> {
  /** Hears why a change was not taken; the settings stay as they were. */
  onerror: (error: GatewayError) => void;
  /** Milliseconds between two looks at the file. A file that still changes is left alone until the next look. */
  interval?: number | undefined;
}

/** The settings of a file, as they are now. */
export interface SettingsWatch {
  /** The last settings that were right, and were taken. */
  readonly current: GatewaySettings;
  /** Nothing is called after this. */
  close(): void;
}

/**
 * Reads a settings file, and again whenever it changes. The file is looked at, and not listened to: that sees writes,
 * files that are put in its place by renaming, links that are turned elsewhere, and folders that come back, on every
 * kind of disk.
 *
 * `onchange` hears of new settings one after another, the next after it is done with the last.
 *
 * @throws {GatewayError} `config-invalid` if it is wrong at the start
 * @example
 * ```ts source="./config.examples.ts#watchSettings"
 * const watch = await watchSettings(file, apply, { onerror: (error) => log(error.message) });
 * await apply(watch.current);
 * ```
 */
export async function watchSettings(
  file: string,
  onchange: (settings: GatewaySettings) => void | Promise<void>,
  { onerror, interval = 500, ...options }: WatchOptions,
): Promise<SettingsWatch> {
  const read = (text: string) => readSettings(text, { secrets: storedSecrets, ...options, file });
  let seen: string | undefined = await readText(file);
  let current = await read(seen);
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let work = Promise.resolve();

  const keep = (error: unknown): void => {
    if (isClosed) return;
    const { message, data } =
      error instanceof GatewayError
        ? error
        : new GatewayError("config-invalid", String(error), { cause: error });
    const kept = `${message}\nThe settings stay as they were; correct the file, and it is read again.`;
    onerror(new GatewayError("config-invalid", kept, { cause: error, data }));
  };

  const look = async (): Promise<void> => {
    if (isClosed) return;
    try {
      const text = await readText(file).catch((error: unknown) => {
        // Gone, or locked: said once, however often it is looked at.
        if (seen !== undefined) keep(error);
        return undefined;
      });
      const isSame = text === seen;
      seen = text;
      if (text === undefined || isSame) return;
      const next = await read(text);
      if (isClosed) return;
      await onchange(next);
      current = next;
    } catch (error) {
      keep(error);
    }
  };

  const changed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(
      () => {
        work = work.then(look);
      },
      Math.min(interval, 100),
    ).unref();
  };

  watchFile(file, { persistent: false, interval }, changed);
  // What was written between the first look and the watch.
  changed();
  return {
    get current() {
      return current;
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      unwatchFile(file, changed);
    },
  };
}
