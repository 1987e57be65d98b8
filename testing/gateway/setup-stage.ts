/**
 * A whole gateway on a settings file that its pages may change, with a terminal that the test answers.
 */
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AskedChange,
  createLog,
  type GatewayOptions,
  type GatewaySettings,
  RunningGateway,
  readSettings,
  type SettingsWatch,
  type StoredAuditRow,
  watchSettings,
} from "@vitrine/gateway";
import type { SetupState } from "@vitrine/wire";
import { RawPage } from "./entry-points.ts";

/** A question in the terminal. */
export interface AskedQuestion extends AskedChange {
  answer(isAllowed: boolean): void;
  readonly signal: AbortSignal;
}

/** Options of {@link SetupStage.open}. */
export interface SetupStageOptions {
  /** The text of the file; without it, there is none. */
  readonly text?: string | undefined;
  readonly canAsk?: boolean | undefined;
  readonly imports?: Record<string, string> | undefined;
  /** The only servers of the file that the run uses; all by default. */
  readonly uses?: readonly string[] | undefined;
  /** The folder of a page that the gateway serves. */
  readonly page?: string | undefined;
  /** Where to look for model servers; by default at their usual ports. */
  readonly detection?: GatewayOptions["detection"];
}

/** The gateway, its file and its terminal. */
export class SetupStage {
  readonly folder: string;
  readonly file: string;
  readonly questions: AskedQuestion[] = [];
  /** Texts of the file that the user has not approved. */
  readonly unapproved = new Set<string>();
  /** Servers that a change of a page made new. */
  readonly isNew: string[] = [];
  #uses: readonly string[] | undefined;
  #options: Pick<GatewayOptions, "static" | "detection"> = {};
  gateway!: RunningGateway;
  #watch: SettingsWatch | undefined;
  readonly #pages: RawPage[] = [];

  private constructor(folder: string) {
    this.folder = folder;
    this.file = join(folder, "mcp.json");
  }

  static async open({
    text,
    canAsk = true,
    imports = {},
    uses,
    page,
    detection,
  }: SetupStageOptions = {}): Promise<SetupStage> {
    const stage = new SetupStage(await mkdtemp(join(tmpdir(), "vitrine-setup-")));
    stage.#uses = uses;
    stage.#options = { detection, ...(page !== undefined && { static: { folder: page } }) };
    for (const [name, content] of Object.entries(imports)) await writeFile(join(stage.folder, name), content);
    if (text !== undefined) await writeFile(stage.file, text);
    await stage.start(canAsk, Object.keys(imports));
    return stage;
  }

  /** Reads a text as the gateway reads its file. */
  reading(text: string): Promise<GatewaySettings> {
    return readSettings(text, { overrides: this.#overrides, env: { HOME: this.folder } });
  }

  get #overrides() {
    return { listen: { port: 0 }, sandbox: { port: 0 }, dataFolder: join(this.folder, "data") };
  }

  async start(canAsk: boolean, imports: readonly string[]): Promise<void> {
    const { file, folder } = this;
    const overrides = this.#overrides;
    const env = { HOME: folder, PATH: process.env["PATH"], PRIVATE_KEY: "of the user" };
    const reading = { overrides, env, isolation: { driver: "process" as const, network: true } };
    if (!existsSync(file)) await writeFile(file, "{}\n");
    const watch = await watchSettings(file, (settings) => void this.gateway?.update(this.#used(settings)), {
      ...reading,
      interval: 50,
      onskip: () => {},
      onerror: () => {},
    });
    this.#watch = watch;
    this.gateway = await RunningGateway.start(this.#used(watch.current), {
      ...this.#options,
      log: createLog({ stream: { write: () => {} } }),
      setup: {
        file,
        reading,
        canAsk,
        lines: ({ name, entry }) => {
          const line = `${name}: ${JSON.stringify(entry)}`;
          return line.length > 5_000 ? undefined : [line];
        },
        command: ({ name }) => `vitrine add ${name}`,
        confirm: (change, signal) =>
          new Promise((resolve, reject) => {
            this.questions.push({ ...change, answer: resolve, signal });
            signal.addEventListener("abort", () => reject(signal.reason));
          }),
        isApproved: async (text) => !this.unapproved.has(text),
        written: (_text, name, isNew) => {
          if (isNew) this.isNew.push(name);
          return watch.reload();
        },
        importPlaces: () => imports.map((name) => ({ program: name, path: join(folder, name) })),
      },
    });
  }

  #used(settings: GatewaySettings): GatewaySettings {
    const isUsed = (name: string): boolean => this.#uses?.includes(name) ?? true;
    return { ...settings, servers: new Map([...settings.servers].filter(([name]) => isUsed(name))) };
  }

  /** Allows the next question. */
  async allow(): Promise<void> {
    const count = this.#allowed++;
    while (this.questions.length <= count) await new Promise((resolve) => setTimeout(resolve, 10));
    this.questions[count]?.answer(true);
  }
  #allowed = 0;

  /** A page of a user; of the only one by default. */
  page(token = this.gateway.token ?? ""): RawPage {
    const page = new RawPage({ origin: this.gateway.origin, token, over: "websocket" });
    this.#pages.push(page);
    return page;
  }

  text(): Promise<string> {
    return readFile(this.file, "utf8");
  }

  state(page: RawPage): Promise<SetupState> {
    return page.request("gateway/settings", {});
  }

  async version(page: RawPage, name: string): Promise<string> {
    const { servers } = await this.state(page);
    return servers.find((each) => each.name === name)?.version ?? "";
  }

  /** The audit rows about the settings file, with their outcomes. */
  async audit(): Promise<StoredAuditRow[]> {
    const rows = await this.gateway.api.audit.query({ user: "local" }, { limit: 1000 });
    const changes = rows.filter(({ method }) => /^gateway\/(add|change|remove)-server$/.test(`${method}`));
    const seqs = new Set(changes.map(({ seq }) => seq));
    return rows.filter(({ seq, of }) => seqs.has(seq) || (of !== undefined && seqs.has(of)));
  }

  async close(): Promise<void> {
    for (const page of this.#pages) page.close();
    this.#watch?.close();
    await this.gateway.close(0);
    await rm(this.folder, { recursive: true, force: true });
  }
}
