/**
 * Watches the settings file while the gateway runs.
 *
 * @module
 */
import { watchPaths } from "@vitrine/servers/support";
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
  /**
   * Reads the file now, even if it looks unchanged: variables, secrets and files that it refers to may have
   * changed. Resolves when the settings are applied, or were rejected.
   */
  reload(): Promise<void>;
  /** Stops watching; no callback is called afterwards. */
  close(): void;
}

/**
 * Reads a settings file, and again whenever it changes: by writes, replacement by renaming, changed links and
 * restored folders.
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
  let work = Promise.resolve();

  const keep = (error: unknown): void => {
    if (isClosed) return;
    const { message, data } =
      error instanceof GatewayError
        ? error
        : new GatewayError("config-invalid", String(error), { cause: error });
    const kept = `${message}\nThe previous settings stay in force. The gateway reads the file again when you save it.`;
    onerror(new GatewayError("config-invalid", kept, { cause: error, data }));
  };

  const look = async (isForced = false): Promise<void> => {
    if (isClosed) return;
    try {
      const text = await readText(file).catch((error: unknown) => {
        // Missing or locked: reported once, however often it is checked.
        if (seen !== undefined || isForced) keep(error);
        return undefined;
      });
      const isSame = text === seen;
      seen = text;
      if (text === undefined || (isSame && !isForced)) return;
      const next = await read(text);
      if (isClosed) return;
      await onchange(next);
      current = next;
    } catch (error) {
      keep(error);
    }
  };

  const changed = (): Promise<void> => {
    work = work.then(() => look());
    return work;
  };
  const watching = await watchPaths([file], { changed, interval, quiet: Math.min(interval, 100) });
  // Picks up changes between the first read and the start of the watch.
  void changed();
  return {
    get current() {
      return current;
    },
    reload() {
      work = work.then(() => look(true));
      return work;
    },
    close() {
      isClosed = true;
      void watching.close();
    },
  };
}
