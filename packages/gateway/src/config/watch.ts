/**
 * Watches the settings file while the gateway runs.
 *
 * @module
 */
import { unwatchFile, watchFile } from "node:fs";
import { GatewayError } from "@vitrine/wire";
import type { GatewaySettings } from "./config.js";
import { type ReadOptions, readSettings, readText, storedSecrets } from "./read.js";

/** Options of {@link watchSettings}. */
export interface WatchSettingsOptions extends Omit<ReadOptions, "file"> {
  /** Called when a change is rejected; the current settings stay in force. */
  onerror: (error: GatewayError) => void;
  /** Milliseconds between checks of the file. A file that is still changing is left for the next check. */
  interval?: number | undefined;
}

/** The current settings of a file. */
export interface SettingsWatch {
  /** The last valid settings. */
  readonly current: GatewaySettings;
  /** Stops watching; no callback is called afterwards. */
  close(): void;
}

/**
 * Reads a settings file, and again whenever it changes. The file is polled: that detects writes, replacement
 * by renaming, changed links and restored folders, on every kind of disk.
 *
 * `onchange` gets new settings one after another; each call waits for the previous one.
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
  { onerror, interval = 500, ...options }: WatchSettingsOptions,
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
    const kept = `${message}\nThe previous settings stay in force; correct the file, and it is read again.`;
    onerror(new GatewayError("config-invalid", kept, { cause: error, data }));
  };

  const look = async (): Promise<void> => {
    if (isClosed) return;
    try {
      const text = await readText(file).catch((error: unknown) => {
        // Missing or locked: reported once, however often it is checked.
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
  // Picks up changes between the first read and the start of the watch.
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
