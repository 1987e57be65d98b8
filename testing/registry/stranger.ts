/**
 * A user who has Node and a registry, and no checkout of this repository: a folder of their own, and an environment in which
 * nothing leads here.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, sep } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { findChromium } from "../../scripts/chromium.mjs";
import { npmSettings, type Registry, serveRegistry } from "../../scripts/registry.mjs";

/** The command line of the pinned pnpm. */
export const PNPM = `node "${fileURLToPath(new URL("../../node_modules/pnpm/bin/pnpm.mjs", import.meta.url))}"`;

const STORE = "pnpm_config_store_dir";

/** A command that ended. */
export interface Ended {
  readonly code: unknown;
  readonly out: string;
  /** Everything that it wrote. */
  readonly said: string;
}

/** See above. Call {@link Stranger.leave} when done. */
export class Stranger {
  readonly #registry: Registry;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;

  private constructor(registry: Registry, folder: string, env: Record<string, string | undefined>) {
    this.#registry = registry;
    this.folder = folder;
    this.env = env;
  }

  /**
   * @param isPublished whether the registry has Vitrine's packages
   * @param earlier a stranger on the same machine: pnpm then links the files that it unpacked before
   */
  static async arrive(isPublished = true, earlier?: Stranger): Promise<Stranger> {
    const npm = npmSettings();
    const registry = await serveRegistry(npm.registry, { isPublished });
    const folder = mkdtempSync(join(tmpdir(), "vitrine-stranger-"));
    // Packages from elsewhere come from the machine's cache. What `npx` installed does not: it would be of an earlier build.
    const cache = join(folder, "npm-cache");
    mkdirSync(cache);
    mkdirSync(join(npm.cache, "_cacache"), { recursive: true });
    symlinkSync(join(npm.cache, "_cacache"), join(cache, "_cacache"), "junction");
    const authorities = npm.cafile ?? process.env["VITRINE_TESTS_CAFILE"];
    const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|node_|vite|pnpm_)/i.test(name));
    return new Stranger(registry, folder, {
      ...Object.fromEntries(inherited),
      PATH: pathWithout(`${sep}node_modules${sep}`),
      HOME: folder,
      CHROMIUM: findChromium(),
      npm_config_userconfig: npm.userconfig,
      npm_config_registry: registry.url,
      npm_config_cache: cache,
      npm_config_prefer_offline: "true",
      npm_config_audit: "false",
      npm_config_fund: "false",
      npm_config_update_notifier: "false",
      npm_config_yes: "true",
      npm_config_cafile: authorities,
      pnpm_config_registry: registry.url,
      pnpm_config_cafile: authorities,
      [STORE]: earlier?.env[STORE] ?? join(folder, "pnpm-store"),
      pnpm_config_cache_dir: join(folder, "pnpm-cache"),
    });
  }

  /** An empty folder. */
  place(name: string): string {
    return mkdtempSync(join(this.folder, `${name}-`));
  }

  /** Runs a command line; resolves when it ends, however it ends. */
  async try(cwd: string, line: string, path: readonly string[] = []): Promise<Ended> {
    const env = { ...this.env, PATH: [...path, this.env["PATH"]].join(delimiter) };
    const child = spawn(line, { cwd, env, shell: true, stdio: ["ignore", "pipe", "pipe"] });
    const ended = once(child, "close");
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = await ended;
    return { code, out, said: `${out}\n${err}` };
  }

  /** As {@link Stranger.try}, but throws if it fails; gives what it printed. */
  async run(cwd: string, line: string, path?: readonly string[]): Promise<string> {
    const { code, out, said } = await this.try(cwd, line, path);
    if (code !== 0) throw new Error(`${line}\nends with ${code}:\n${said}`);
    return out;
  }

  async leave(): Promise<void> {
    await this.#registry.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const pathWithout = (part: string): string =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !`${folder}${sep}`.includes(part))
    .join(delimiter);
